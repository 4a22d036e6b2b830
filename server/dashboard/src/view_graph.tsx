// The model's graph with findings drawn on it. Drawn on a canvas, only what is seen of it; a list beside it says the same
// in text, and leads to every node by keyboard.
import {select} from 'd3-selection';
import {zoom, zoomIdentity, type ZoomBehavior, type ZoomTransform} from 'd3-zoom';
import {useEffect, useMemo, useRef, useState} from 'preact/hooks';
import {Link} from 'wouter-preact';
import type {Graph, Report} from './api';
import {FindingView} from './finding';
import {kLayer, kNodeHeight, kNodeWidth, type LayoutInput, type LayoutResult} from './layout';
import {useQuery} from './location';
import {drawing, type Drawing, type FoundHere, type GroupMember} from './model_graph';
import {Field, Heading, plural, severityText, useApi, VerdictBadge, Waiting, words} from './parts';

// So many results of a search are listed.
const kListed = 200;
// And so many findings.
const kShown = 20;

// Positions from the worker; null while it works.
function useLayout(drawn: Drawing | null): LayoutResult | null {
  const [result, setResult] = useState<{of: Drawing; layout: LayoutResult} | null>(null);
  useEffect(() => {
    if (!drawn) return;
    const worker = new Worker('/layout.js', {type: 'module'});
    worker.onmessage = (message: MessageEvent<LayoutResult>) => setResult({of: drawn, layout: message.data});
    worker.postMessage({nodes: drawn.boxes.length, edges: drawn.edges} satisfies LayoutInput);
    return () => worker.terminate();
  }, [drawn]);
  return result && result.of === drawn ? result.layout : null;
}

// The colors that the style sheet has now.
function palette(element: HTMLElement) {
  const style = getComputedStyle(element);
  const color = (name: string) => style.getPropertyValue(name).trim();
  return {
    text: color('--text'),
    quiet: color('--quiet'),
    box: color('--panel'),
    line: color('--line'),
    ERROR: color('--bad'),
    WARNING: color('--warn'),
    INFO: color('--accent'),
    accent: color('--accent'),
    group: color('--group'),
  };
}

const kMarks: Record<string, string> = {ERROR: '✗', WARNING: '▲', INFO: 'i'};

interface Scene {
  drawn: Drawing;
  layout: LayoutResult;
  selected: number;
  // Boxes that share a group with the selected one, or every box of a group; and the edges of those groups, as pairs.
  shared: Set<number>;
  sharedEdges: number[];
}

function paint(canvas: HTMLCanvasElement, scene: Scene, transform: ZoomTransform): void {
  const context = canvas.getContext('2d')!;
  const ratio = devicePixelRatio || 1;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
  if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
  const colors = palette(canvas);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.translate(transform.x, transform.y);
  context.scale(transform.k, transform.k);
  const {drawn, layout} = scene;
  const left = -transform.x / transform.k - kNodeWidth;
  const right = left + width / transform.k + 2 * kNodeWidth;
  const top = -transform.y / transform.k - kNodeHeight;
  const bottom = top + height / transform.k + 2 * kNodeHeight;

  const lines = (edges: ArrayLike<number>) => {
    context.beginPath();
    for (let e = 0; e < edges.length; e += 2) {
      const a = edges[e]!;
      const b = edges[e + 1]!;
      const x0 = layout.x[a]!;
      const y0 = layout.y[a]! + kNodeHeight / 2;
      const x1 = layout.x[b]!;
      const y1 = layout.y[b]! - kNodeHeight / 2;
      if (Math.max(y0, y1) < top || Math.min(y0, y1) > bottom || Math.max(x0, x1) < left || Math.min(x0, x1) > right)
        continue;
      context.moveTo(x0, y0);
      if (transform.k < 0.15) context.lineTo(x1, y1);
      else if (y1 - y0 > kLayer && Math.abs(x1 - x0) < kNodeWidth) {
        // Around the boxes between, which would hide it.
        const x = Math.max(x0, x1) + 0.9 * kNodeWidth;
        context.bezierCurveTo(x, y0 + kLayer, x, y1 - kLayer, x1, y1);
      } else context.bezierCurveTo(x0, (y0 + y1) / 2, x1, (y0 + y1) / 2, x1, y1);
    }
    context.stroke();
  };
  context.strokeStyle = colors.line;
  context.lineWidth = Math.max(1, 0.7 / transform.k);
  lines(drawn.edges);
  context.strokeStyle = colors.group;
  context.lineWidth = 3;
  context.setLineDash([8, 5]);
  lines(scene.sharedEdges);
  context.setLineDash([]);

  const words = transform.k > 0.35;
  context.textBaseline = 'middle';
  for (let n = 0; n < drawn.boxes.length; n++) {
    const x = layout.x[n]!;
    const y = layout.y[n]!;
    if (x < left || x > right || y < top || y > bottom) continue;
    const box = drawn.boxes[n]!;
    const color = box.severity ? colors[box.severity as 'ERROR'] : undefined;
    context.fillStyle = words ? colors.box : (color ?? colors.quiet);
    const x0 = x - kNodeWidth / 2;
    const y0 = y - kNodeHeight / 2;
    context.fillRect(x0, y0, kNodeWidth, kNodeHeight);
    context.lineWidth = n === scene.selected ? 4 : color ? 3 : 1;
    context.strokeStyle = n === scene.selected ? colors.accent : (color ?? colors.line);
    context.strokeRect(x0, y0, kNodeWidth, kNodeHeight);
    if (scene.shared.has(n)) {
      context.strokeStyle = colors.group;
      context.lineWidth = 3;
      context.setLineDash([8, 5]);
      context.strokeRect(x0 - 6, y0 - 6, kNodeWidth + 12, kNodeHeight + 12);
      context.setLineDash([]);
    }
    if (!words) continue;
    if (color) {
      context.fillStyle = color;
      context.font = 'bold 16px system-ui, sans-serif';
      context.fillText(kMarks[box.severity!] ?? 'i', x0 + kNodeWidth - 20, y - 8);
    }
    context.fillStyle = colors.text;
    context.font = 'bold 13px system-ui, sans-serif';
    context.fillText(cut(box.op, 20), x0 + 8, y - 9);
    context.fillStyle = colors.quiet;
    context.font = '12px system-ui, sans-serif';
    context.fillText(cut(box.label, 27), x0 + 8, y + 9);
  }
}

const cut = (text: string, size: number): string => (text.length > size ? `${text.slice(0, size - 1)}…` : text);

function Canvas(props: {scene: Scene; onSelect: (box: number) => void; label: string}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const transform = useRef<ZoomTransform>(zoomIdentity);
  const behavior = useRef<ZoomBehavior<HTMLCanvasElement, unknown> | null>(null);
  const scene = useRef(props.scene);
  scene.current = props.scene;
  const frame = useRef(0);
  const draw = () => {
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(
      () => canvas.current && paint(canvas.current, scene.current, transform.current),
    );
  };
  const show = (box: number, scale: number) => {
    const element = canvas.current!;
    const {x, y} = scene.current.layout;
    const to = zoomIdentity
      .translate(element.clientWidth / 2, element.clientHeight / 2)
      .scale(scale)
      .translate(-x[box]!, -y[box]!);
    select(element).call(behavior.current!.transform, to);
  };
  const fit = () => {
    const element = canvas.current!;
    const {x, y} = scene.current.layout;
    let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let n = 0; n < x.length; n++) {
      x0 = Math.min(x0, x[n]!);
      x1 = Math.max(x1, x[n]!);
      y0 = Math.min(y0, y[n]!);
      y1 = Math.max(y1, y[n]!);
    }
    if (!Number.isFinite(x0)) return;
    const k = Math.min(
      1,
      element.clientWidth / (x1 - x0 + 1.5 * kNodeWidth),
      element.clientHeight / (y1 - y0 + 2 * kNodeHeight),
    );
    const to = zoomIdentity
      .translate(element.clientWidth / 2, element.clientHeight / 2)
      .scale(k)
      .translate(-(x0 + x1) / 2, -(y0 + y1) / 2);
    select(element).call(behavior.current!.transform, to);
  };

  useEffect(() => {
    const element = canvas.current!;
    behavior.current = zoom<HTMLCanvasElement, unknown>()
      .scaleExtent([0.002, 4])
      .on('zoom', (event: {transform: ZoomTransform}) => {
        transform.current = event.transform;
        draw();
      });
    select(element).call(behavior.current).on('dblclick.zoom', null);
    const resized = new ResizeObserver(draw);
    resized.observe(element);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', draw);
    return () => {
      resized.disconnect();
      dark.removeEventListener('change', draw);
      cancelAnimationFrame(frame.current);
    };
  }, []);
  useEffect(() => {
    if (props.scene.selected >= 0) show(props.scene.selected, Math.max(0.8, transform.current.k));
    else fit();
  }, [props.scene.layout]);
  useEffect(() => {
    if (props.scene.selected >= 0) show(props.scene.selected, Math.max(0.8, transform.current.k));
  }, [props.scene.selected]);
  useEffect(draw);

  const pick = (event: MouseEvent) => {
    const bounds = canvas.current!.getBoundingClientRect();
    const [x, y] = transform.current.invert([event.clientX - bounds.left, event.clientY - bounds.top]);
    const {layout} = scene.current;
    let hit = -1;
    for (let n = 0; n < layout.x.length; n++) {
      if (Math.abs(layout.x[n]! - x) <= kNodeWidth / 2 && Math.abs(layout.y[n]! - y) <= kNodeHeight / 2) hit = n;
    }
    props.onSelect(hit);
  };
  // The box that an arrow leads to: along an edge up or down, to the nearest in the layer left or right.
  const neighbor = (key: string): number => {
    const {drawn, layout, selected} = scene.current;
    if (selected < 0) return drawn.boxes.length > 0 ? 0 : -1;
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      const [from, to] = key === 'ArrowDown' ? [0, 1] : [1, 0];
      for (let e = 0; e < drawn.edges.length; e += 2) {
        if (drawn.edges[e + from!] === selected) return drawn.edges[e + to!]!;
      }
      return selected;
    }
    let best = selected;
    let distance = Infinity;
    for (let n = 0; n < layout.x.length; n++) {
      const dx = (layout.x[n]! - layout.x[selected]!) * (key === 'ArrowRight' ? 1 : -1);
      if (layout.y[n] === layout.y[selected] && dx > 0 && dx < distance) [best, distance] = [n, dx];
    }
    return best;
  };
  const keys = (event: KeyboardEvent) => {
    const element = select(canvas.current!);
    if (event.key.startsWith('Arrow') && event.shiftKey) {
      const step = 80 / transform.current.k;
      const dx = event.key === 'ArrowLeft' ? step : event.key === 'ArrowRight' ? -step : 0;
      const dy = event.key === 'ArrowUp' ? step : event.key === 'ArrowDown' ? -step : 0;
      element.call(behavior.current!.translateBy, dx, dy);
    } else if (event.key.startsWith('Arrow')) {
      props.onSelect(neighbor(event.key));
    } else if (event.key === '+' || event.key === '=') {
      element.call(behavior.current!.scaleBy, 1.4);
    } else if (event.key === '-') {
      element.call(behavior.current!.scaleBy, 1 / 1.4);
    } else if (event.key === '0') {
      fit();
    } else {
      return;
    }
    event.preventDefault();
  };
  return (
    <div class="stage">
      <canvas ref={canvas} tabIndex={0} role="img" aria-label={props.label} onClick={pick} onKeyDown={keys} />
      <div class="zoom">
        <button aria-label="zoom in" onClick={() => select(canvas.current!).call(behavior.current!.scaleBy, 1.4)}>
          +
        </button>
        <button aria-label="zoom out" onClick={() => select(canvas.current!).call(behavior.current!.scaleBy, 1 / 1.4)}>
          −
        </button>
        <button onClick={fit}>all</button>
      </div>
    </div>
  );
}

function FindingList(props: {findings: FoundHere[]}) {
  return (
    <>
      {props.findings.slice(0, kShown).map((one, index) => (
        <div key={index}>
          <span class="quiet small">{`${one.target} · ${one.finding.code} ${one.finding.rule}`}</span>
          <FindingView finding={one.finding} />
        </div>
      ))}
      {props.findings.length > kShown && <p class="quiet">{`and ${props.findings.length - kShown} more: the report has all`}</p>}
    </>
  );
}

export function GraphPage(props: {id: string}) {
  const path = `/v1/reports/${encodeURIComponent(props.id)}`;
  const reportState = useApi<{report: Report}>(path);
  const graphState = useApi<{graph: Graph}>(`${path}/graph`);
  const groupState = useApi<{groups: GroupMember[][]}>(`${path}/groups`);
  const [search, set] = useQuery();
  const [allGroups, setAllGroups] = useState(false);
  const report = reportState.data?.report;
  const graph = graphState.data?.graph;
  const groups = groupState.data?.groups ?? [];
  const target = search.get('target') ?? '';
  const drawn = useMemo(() => {
    if (!graph) return null;
    const shown =
      report && target ? {...report, results: report.results.filter((one) => one.target === target)} : report;
    return drawing(graph, shown, groups);
  }, [graph, report, groupState.data, target]);
  const layout = useLayout(drawn);
  const name = search.get('node') ?? '';
  const selected = drawn && name !== '' ? (drawn.byName.get(name) ?? -1) : -1;
  const box = selected >= 0 ? drawn!.boxes[selected] : undefined;

  const shared = useMemo(() => {
    const set = new Set<number>();
    drawn?.boxes.forEach((one, index) => {
      if (allGroups ? one.groups.length > 0 : box?.groups.some((group) => one.groups.includes(group))) set.add(index);
    });
    return set;
  }, [drawn, box, allGroups]);

  const sharedEdges = useMemo(
    () =>
      (drawn?.groups ?? []).flatMap((group, index) => (allGroups || box?.groups.includes(index) ? group.edges : [])),
    [drawn, box, allGroups],
  );

  const wanted = (search.get('find') ?? '').toLowerCase();
  const onlyFindings = search.get('only') !== 'all';
  const found = useMemo(() => {
    const list: number[] = [];
    drawn?.boxes.forEach((one, index) => {
      const text = `${one.op} ${one.label}`.toLowerCase();
      if (wanted !== '' ? text.includes(wanted) : !onlyFindings || one.findings.length > 0) list.push(index);
    });
    return list;
  }, [drawn, wanted, onlyFindings]);
  const choose = (index: number) => set({node: index >= 0 ? drawn!.boxes[index]!.name : ''});
  const model = report?.model?.path || 'a graph without a name';
  return (
    <>
      <Heading title={`Graph of ${report ? model : 'a report'}`}>
        <p class="actions">
          <Link href={`/reports/${props.id}`}>Report</Link>
          {report?.results.map((result) => (
            <span key={result.target}>
              {result.target} <VerdictBadge verdict={result.verdict} />
            </span>
          ))}
        </p>
      </Heading>
      <Waiting {...graphState} what="the graph" />
      {drawn && (
        <div class="graph">
          <div>
            {layout ? (
              <Canvas
                scene={{drawn, layout, selected, shared, sharedEdges}}
                onSelect={choose}
                label={`${plural(drawn.boxes.length, 'node')} of the graph; arrows follow edges, shift and arrows move, + and - zoom, 0 shows all; the list names the same nodes`}
              />
            ) : (
              <p class="stage quiet" role="status">{`Arranging ${plural(drawn.boxes.length, 'node')}…`}</p>
            )}
            {groups.length > 0 && (
              <label class="check">
                <input
                  type="checkbox"
                  checked={allGroups}
                  onChange={(event) => setAllGroups(event.currentTarget.checked)}
                />{' '}
                {`mark what is in one of ${plural(groups.length, 'sharing group')}`}
              </label>
            )}
          </div>
          <aside aria-label="Nodes">
            <div class="filters">
              <Field label="find a node">
                <input
                  type="search"
                  value={search.get('find') ?? ''}
                  placeholder="name or operator"
                  onInput={(event) => set({find: event.currentTarget.value}, {replace: true})}
                />
              </Field>
              <Field label="findings of">
                <select value={target} onChange={(event) => set({target: event.currentTarget.value})}>
                  <option value="">all targets</option>
                  {report?.results.map((result) => (
                    <option key={result.target}>{result.target}</option>
                  ))}
                </select>
              </Field>
              <label class="check">
                <input
                  type="checkbox"
                  checked={onlyFindings}
                  onChange={(event) => set({only: event.currentTarget.checked ? '' : 'all'})}
                />{' '}
                only with findings
              </label>
            </div>
            {box && (
              <section class="selected" aria-live="polite">
                <h2>{box.label}</h2>
                <p class="quiet">{box.op}</p>
                {box.groups.slice(0, 5).map((group) => {
                  const {members} = drawn.groups[group]!;
                  return (
                    <p key={group}>
                      {`One set of qparams (dashed): ${members.slice(0, 12).join(', ')}`}
                      {members.length > 12 && ` and ${members.length - 12} more`}
                    </p>
                  );
                })}
                {box.findings.length === 0 && <p>No findings here.</p>}
                <FindingList findings={box.findings} />
              </section>
            )}
            {drawn.unplaced.length > 0 && (
              <details>
                <summary>{`${plural(drawn.unplaced.length, 'finding')} that no node shows`}</summary>
                <FindingList findings={drawn.unplaced} />
              </details>
            )}
            <p
              class="quiet"
              role="status"
            >{`${plural(found.length, 'node')}${found.length > kListed ? `, the first ${kListed}` : ''}`}</p>
            <ul class="nodes">
              {found.slice(0, kListed).map((index) => {
                const one = drawn.boxes[index]!;
                return (
                  <li key={index}>
                    <button aria-pressed={index === selected} onClick={() => choose(index)}>
                      {one.severity && (
                        <span class={`dot ${words(one.severity)}`}>
                          {`${kMarks[one.severity] ?? 'i'} ${severityText(one.severity)} `}
                        </span>
                      )}
                      <strong>{one.op}</strong> {one.label}
                    </button>
                  </li>
                );
              })}
            </ul>
          </aside>
        </div>
      )}
    </>
  );
}
