// A quantgate.v1.Graph as what is drawn: boxes and lines between them. Ids in the message are 1-based; those that point
// nowhere are left out.
import type {Finding, Graph, GraphNode, Location, Report, Severity} from './api';

export interface Box {
  label: string;
  op: string;
  kind: 'node' | 'input' | 'output';
  // As findings name it.
  name: string;
  // The worst of its findings.
  severity?: Severity;
  findings: FoundHere[];
  groups: number[];
}
export interface FoundHere {
  target: string;
  finding: Finding;
}
export interface Drawing {
  boxes: Box[];
  edges: Int32Array;
  // By the name of a node or input, and by the path of a body, as findings have it: the node that owns the body.
  byName: Map<string, number>;
  groups: Group[];
  // Findings that are about nothing that is drawn.
  unplaced: FoundHere[];
}
// A sharing group: edges and values that use one set of qparams.
export interface Group {
  // "x → add" for an edge, "x" for a value.
  members: string[];
  // Pairs of boxes: from, to.
  edges: number[];
}

const kRank: Record<string, number> = {ERROR: 3, WARNING: 2, INFO: 1};

export interface GroupMember {
  value: number;
  node: number;
}

const nameOf = (node: GraphNode, index: number): string => node.name || `#${index}`;

// The paths of the bodies below a graph ("if_node/then_branch", and so on below that), with the node of the main graph
// that each belongs to.
function bodies(graph: Graph, path: string, owner: number, take: (path: string, owner: number) => void): void {
  const nodes = graph.nodes ?? [];
  nodes.forEach((node, index) => {
    for (const attribute of node.attributes ?? []) {
      const body = graph.subgraphs?.[(attribute.graph ?? 0) - 1];
      if (!body) continue;
      const below = `${path}${nameOf(node, index)}/${graph.symbols?.[(attribute.name ?? 0) - 1] ?? ''}`;
      const outermost = owner >= 0 ? owner : index;
      take(below, outermost);
      bodies(body, `${below}/`, outermost, take);
    }
  });
}

export function drawing(graph: Graph, report: Report | undefined, groups: GroupMember[][]): Drawing {
  const nodes = graph.nodes ?? [];
  const values = graph.values ?? [];
  const boxes: Box[] = nodes.map((node, index) => ({
    label: nameOf(node, index),
    op: graph.symbols?.[(node.op ?? 0) - 1] ?? '',
    kind: 'node',
    name: nameOf(node, index),
    findings: [],
    groups: [],
  }));
  const byName = new Map<string, number>();
  boxes.forEach((box, index) => byName.has(box.name) || byName.set(box.name, index));
  // Which box makes a value, by value id.
  const producer = new Int32Array(values.length + 1).fill(-1);
  nodes.forEach((node, index) => {
    for (const id of node.outputs ?? []) if (id > 0 && id < producer.length) producer[id] = index;
  });
  const label = (id: number) => values[id - 1]?.name || `value ${id}`;
  const extra = (id: number, kind: 'input' | 'output') => {
    boxes.push({label: label(id), op: kind, kind, name: label(id), findings: [], groups: []});
    return boxes.length - 1;
  };
  for (const id of new Set(graph.inputs ?? [])) {
    if (id > 0 && id < producer.length && producer[id] === -1) {
      producer[id] = extra(id, 'input');
      if (!byName.has(label(id))) byName.set(label(id), producer[id]!);
    }
  }
  bodies(graph, '', -1, (path, owner) => byName.has(path) || byName.set(path, owner));
  const edges: number[] = [];
  // Who reads a constant, which has no box of its own, by its name.
  const readers = new Map<string, number[]>();
  nodes.forEach((node, index) => {
    for (const id of new Set(node.inputs ?? [])) {
      const from = producer[id] ?? -1;
      const constant = from < 0 ? values[id - 1]?.name : undefined;
      if (from >= 0 && from !== index) edges.push(from, index);
      if (!constant) continue;
      if (!readers.has(constant)) readers.set(constant, []);
      readers.get(constant)!.push(index);
    }
  });
  for (const id of new Set(graph.outputs ?? [])) {
    const from = producer[id] ?? -1;
    if (from >= 0) edges.push(from, extra(id, 'output'));
  }
  const valueBox = new Map<string, number>();
  values.forEach((value, index) => {
    if (value.name && producer[index + 1]! >= 0) valueBox.set(value.name, producer[index + 1]!);
  });
  const placesOf = (location?: Location | null): number[] => {
    const name = location?.subgraph || location?.node;
    const named = name ? byName.get(name) : undefined;
    if (named !== undefined) return [named];
    // Inputs and constants are called as nodes are in PT2E graphs.
    if (location?.subgraph || !location?.value) return [];
    const at = valueBox.get(location.value);
    return at !== undefined ? [at] : readers.get(location.value) ?? [];
  };
  const unplaced: FoundHere[] = [];
  for (const result of report?.results ?? []) {
    for (const finding of result.findings) {
      const places = placesOf(finding.location);
      if (places.length === 0) unplaced.push({target: result.target, finding});
      for (const at of places) {
        const box = boxes[at]!;
        box.findings.push({target: result.target, finding});
        if ((kRank[finding.severity] ?? 0) > (kRank[box.severity ?? ''] ?? 0)) box.severity = finding.severity;
      }
    }
  }
  const drawnGroups = groups.map((members, index) => {
    const group: Group = {members: [], edges: []};
    for (const member of members) {
      const from = producer[member.value] ?? -1;
      const to = member.node > 0 && member.node <= nodes.length ? member.node - 1 : -1;
      group.members.push(to >= 0 ? `${label(member.value)} → ${boxes[to]!.label}` : label(member.value));
      if (from >= 0 && to >= 0) group.edges.push(from, to);
      const at = to >= 0 ? to : from;
      if (at >= 0 && !boxes[at]!.groups.includes(index)) boxes[at]!.groups.push(index);
    }
    return group;
  });
  return {boxes, edges: Int32Array.from(edges), byName, groups: drawnGroups, unplaced};
}
