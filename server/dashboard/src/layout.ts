// Layers by depth, top to bottom; within a layer nodes stand near what they are connected with. In time proportional to
// nodes and edges (times a few sweeps), so that 10,000 nodes take a fraction of a second. No edge is needed to be true:
// cycles, repeated edges and edges to nowhere are drawn as they are.

export interface LayoutInput {
  nodes: number;
  // Pairs: from, to.
  edges: Int32Array;
}
export interface LayoutResult {
  x: Float32Array;
  y: Float32Array;
}

export const kNodeWidth = 180;
export const kNodeHeight = 40;
const kColumn = kNodeWidth + 28;
export const kLayer = kNodeHeight + 44;
const kSweeps = 6;

// Neighbors of every node, as one list with where each node's begin.
function adjacency(nodes: number, edges: Int32Array, from: 0 | 1): {start: Int32Array; list: Int32Array} {
  const start = new Int32Array(nodes + 1);
  for (let e = from; e < edges.length; e += 2) start[edges[e]! + 1]!++;
  for (let n = 0; n < nodes; n++) start[n + 1]! += start[n]!;
  const next = start.slice();
  const list = new Int32Array(edges.length / 2);
  for (let e = 0; e < edges.length; e += 2) list[next[edges[e + from]!]!++] = edges[e + 1 - from]!;
  return {start, list};
}

export function layout({nodes, edges}: LayoutInput): LayoutResult {
  const out = adjacency(nodes, edges, 0);
  const into = adjacency(nodes, edges, 1);
  // Longest path from a source. What a cycle keeps from being reached follows after what is reached.
  const depth = new Int32Array(nodes);
  const missing = new Int32Array(nodes);
  const done = new Uint8Array(nodes);
  for (let n = 0; n < nodes; n++) missing[n] = into.start[n + 1]! - into.start[n]!;
  const queue: number[] = [];
  for (let n = 0; n < nodes; n++) if (missing[n] === 0) queue.push(n);
  let forced = 0;
  for (let at = 0; ; at++) {
    if (at === queue.length) {
      while (forced < nodes && done[forced] === 1) forced++;
      if (forced === nodes) break;
      queue.push(forced);
    }
    const n = queue[at]!;
    if (done[n] === 1) continue;
    done[n] = 1;
    for (let i = out.start[n]!; i < out.start[n + 1]!; i++) {
      const to = out.list[i]!;
      if (done[to] === 1) continue;
      depth[to] = Math.max(depth[to]!, depth[n]! + 1);
      if (--missing[to]! === 0) queue.push(to);
    }
  }
  // A source stands right above the first that reads it, not at the top of everything.
  for (let n = 0; n < nodes; n++) {
    if (into.start[n] !== into.start[n + 1] || out.start[n] === out.start[n + 1]) continue;
    let first = Infinity;
    for (let i = out.start[n]!; i < out.start[n + 1]!; i++) first = Math.min(first, depth[out.list[i]!]!);
    if (first > 0) depth[n] = first - 1;
  }
  const layers: number[][] = [];
  for (let n = 0; n < nodes; n++) (layers[depth[n]!] ??= []).push(n);
  const x = new Float32Array(nodes);
  for (const layer of layers) layer?.forEach((n, i) => (x[n] = (i - (layer.length - 1) / 2) * kColumn));

  const wish = new Float64Array(nodes);
  for (let sweep = 0; sweep < kSweeps; sweep++) {
    const down = sweep % 2 === 0;
    const {start, list} = down ? into : out;
    for (let l = 0; l < layers.length; l++) {
      const layer = layers[down ? l : layers.length - 1 - l];
      if (!layer) continue;
      for (const n of layer) {
        let sum = 0;
        const count = start[n + 1]! - start[n]!;
        for (let i = start[n]!; i < start[n + 1]!; i++) sum += x[list[i]!]!;
        wish[n] = count > 0 ? sum / count : x[n]!;
      }
      layer.sort((a, b) => wish[a]! - wish[b]! || a - b);
      // As near to the wishes as the order and the distance between columns allow.
      let right = -Infinity;
      let error = 0;
      for (const n of layer) {
        x[n] = Math.max(wish[n]!, right + kColumn);
        right = x[n]!;
        error += x[n]! - wish[n]!;
      }
      const shift = error / layer.length;
      for (const n of layer) x[n]! -= shift;
    }
  }
  const y = new Float32Array(nodes);
  for (let n = 0; n < nodes; n++) y[n] = depth[n]! * kLayer;
  return {x, y};
}
