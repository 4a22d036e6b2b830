// Models against targets: the newest verdict of each pair, and what it was before.
import {Link} from 'wouter-preact';
import {call, condition, idOf, named, query, type FleetEntry} from './api';
import {finished} from './events';
import {useQuery} from './location';
import {Heading, plural, TextField, useLoad, verdictText, VerdictBadge, Waiting} from './parts';

// A matrix needs all pairs of its models. It is loaded in parts of about so many.
const kPart = 3000;
const kPage = 1000;
const kRows = 50;

interface Row {
  repository: string;
  model: string;
  cells: Map<string, FleetEntry>;
}

// Conditions of what the user typed in; names are texts.
export function fleetFilter(search: URLSearchParams): string {
  const conditions: string[] = [];
  for (const [parameter, field] of [
    ['model', 'model.path'],
    ['target', 'target'],
    ['repository', 'labels.repository'],
    ['branch', 'labels.branch'],
  ]) {
    const value = search.get(parameter!);
    if (value) conditions.push(condition(field!, value));
  }
  return conditions.join(' AND ');
}

interface Part {
  entries: FleetEntry[];
  // Where the next one begins; empty: nowhere.
  next: string;
}

const sameRow = (a: FleetEntry, b: FleetEntry): boolean => a.repository === b.repository && a.modelPath === b.modelPath;

// Pages of the fleet, one after the other. Ends with the last pair of a model.
async function loadFleet(filter: string, from: string, signal: AbortSignal): Promise<Part> {
  const isEnough = (count: number): boolean => count + kPage > kPart;
  const entries: FleetEntry[] = [];
  let next = from;
  do {
    const load = (pageSize: number) =>
      call<{entries: FleetEntry[]; nextPageToken: string}>(`/v1/fleet${query({filter, pageSize, pageToken: next})}`, {
        signal,
      });
    let page = await load(kPage);
    if (page.nextPageToken !== '' && isEnough(entries.length + page.entries.length)) {
      const last = page.entries[page.entries.length - 1]!;
      const whole = page.entries.filter((one) => !sameRow(one, last)).length;
      if (whole > 0) page = await load(whole);
    }
    entries.push(...page.entries);
    next = page.nextPageToken;
  } while (next !== '' && !isEnough(entries.length));
  return {entries, next};
}

function Cell(props: {entry?: FleetEntry}) {
  const newest = props.entry?.newest;
  if (!newest) return <span class="quiet">–</span>;
  const previous = props.entry?.previous;
  const changed = previous !== undefined && previous !== null && previous.verdict !== newest.verdict;
  const errors = Number(newest.errors);
  const warnings = Number(newest.warnings);
  return (
    <Link href={`/reports/${idOf(newest.report)}`} class="cell">
      <VerdictBadge verdict={newest.verdict} />
      <span class="counts">
        {errors > 0 && plural(errors, 'error')}
        {errors > 0 && warnings > 0 && ', '}
        {warnings > 0 && plural(warnings, 'warning')}
      </span>
      {changed && <span class="before">{`was ${verdictText(previous.verdict)}`}</span>}
    </Link>
  );
}

export function FleetFilters(props: {
  search: URLSearchParams;
  set: (changes: Record<string, string>) => void;
  known?: Record<string, string[]>;
}) {
  return (
    <div class="filters">
      {(['model', 'target', 'repository', 'branch'] as const).map((name) => (
        <TextField key={name} name={name} search={props.search} set={props.set} known={props.known?.[name]} />
      ))}
    </div>
  );
}

export function Fleet() {
  const [search, set] = useQuery();
  const filter = fleetFilter(search);
  const version = finished.use();
  const from = search.get('from') ?? '';
  const loaded = useLoad(JSON.stringify([filter, from]), (signal) => loadFleet(filter, from, signal), version);
  const entries = loaded.data?.entries;
  const next = loaded.data?.next ?? '';

  const rows = new Map<string, Row>();
  const targets = new Set<string>();
  for (const entry of entries ?? []) {
    const key = JSON.stringify([entry.repository, entry.modelPath]);
    const row = rows.get(key) ?? {repository: entry.repository, model: entry.modelPath, cells: new Map()};
    row.cells.set(entry.target, entry);
    rows.set(key, row);
    targets.add(entry.target);
  }
  const columns = [...targets].sort();
  const all = [...rows.values()];
  const pages = Math.ceil(all.length / kRows);
  const page = Math.max(0, Math.min(Number(search.get('page') ?? 0) || 0, pages - 1));
  const known = {
    model: [...new Set(all.map((row) => row.model))],
    target: columns,
    repository: [...new Set(all.map((row) => row.repository).filter(Boolean))],
  };
  const shown = all.slice(page * kRows, (page + 1) * kRows);
  return (
    <>
      <Heading title="Fleet" />
      <FleetFilters search={search} set={set} known={known} />
      <Waiting {...loaded} loading={loaded.loading && !entries} what="the fleet" />
      {entries && all.length === 0 && (
        <p class="empty">
          No reports{filter !== '' ? ' for these filters' : ' yet'}. <Link href="/check">Check a model</Link>, or run{' '}
          <code>quantgate check MODEL --server HOST:PORT</code>.
        </p>
      )}
      {all.length > 0 && (
        <>
          <p class="quiet">
            {`${plural(all.length, 'model')}, ${plural(columns.length, 'target')}`}
            {(next !== '' || from !== '') && ' in this part of the fleet'}
            {'. Verdicts are the server’s own, before waivers and baselines.'}
          </p>
          <div class="scroll" tabIndex={0} role="region" aria-label="Models against targets">
            <table class="fleet">
              <thead>
                <tr>
                  <th scope="col">model</th>
                  {columns.map((target) => (
                    <th scope="col" key={target}>
                      {target}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {shown.map((row) => (
                  <tr key={`${row.repository}\n${row.model}`}>
                    <th scope="row">
                      <Link href={`/reports${query({model: named(row.model), repository: named(row.repository)})}`}>{row.model || '(no name)'}</Link>
                      {row.repository && <span class="quiet small">{row.repository}</span>}
                    </th>
                    {columns.map((target) => (
                      <td key={target}>
                        <Cell entry={row.cells.get(target)} />
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {(pages > 1 || next !== '' || from !== '') && (
            <div class="pages">
              {from !== '' && <button onClick={() => set({from: '', page: ''})}>first part</button>}
              <button disabled={page === 0} onClick={() => set({page: String(page - 1)})}>
                previous
              </button>
              <span>{`${page + 1} of ${pages}`}</span>
              <button disabled={page + 1 >= pages} onClick={() => set({page: String(page + 1)})}>
                next
              </button>
              {next !== '' && <button onClick={() => set({from: next, page: ''})}>next part</button>}
            </div>
          )}
        </>
      )}
    </>
  );
}
