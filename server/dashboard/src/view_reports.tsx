// Reports, newest first. Filters are in the address, so that a list can be sent to somebody.
import {useEffect, useState} from 'preact/hooks';
import {Link, useLocation} from 'wouter-preact';
import {condition, idOf, query, quoted, type Report} from './api';
import {finished} from './events';
import {useQuery} from './location';
import {DateFields, Field, Heading, TextField, Time, useApi, VerdictBadge, Waiting} from './parts';

// Parameter of the address, field of the filter, operator.
const kTexts = [
  ['model', 'model.path'],
  ['target', 'target'],
  ['code', 'code'],
  ['repository', 'labels.repository'],
  ['branch', 'labels.branch'],
  ['pull_request', 'labels.pull_request'],
] as const;

// "2027-01-31" becomes "2027-02-01". What is no date stays as it is: the server says what is wrong with it.
function dayAfter(date: string): string {
  const time = Date.parse(`${date}T00:00:00Z`);
  return Number.isNaN(time) ? date : new Date(time + 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
}

export function reportFilter(search: URLSearchParams): string {
  const conditions: string[] = [];
  for (const [parameter, field] of kTexts) {
    const value = search.get(parameter);
    if (value) conditions.push(condition(field, value));
  }
  const verdict = search.get('verdict');
  if (verdict) conditions.push(`verdict = ${verdict}`);
  const since = search.get('since');
  if (since) conditions.push(`create_time >= ${quoted(`${since}T00:00:00Z`)}`);
  const until = search.get('until');
  if (until) conditions.push(`create_time < ${quoted(`${dayAfter(until)}T00:00:00Z`)}`);
  return conditions.join(' AND ');
}

// Sorts as the time does, to the nanosecond: without the Z, which is behind the point of a fraction.
const timeOf = (report: Report): string => (report.createTime ?? '').replace(/Z$/, '');

export function Reports() {
  const [search, set] = useQuery();
  const [, navigate] = useLocation();
  const version = finished.use();
  const filter = reportFilter(search);
  const token = search.get('page') ?? '';
  const state = useApi<{reports: Report[]; nextPageToken: string}>(
    `/v1/reports${query({filter, pageSize: 50, pageToken: token})}`,
    version,
  );
  const [chosen, setChosen] = useState<Report[]>([]);
  useEffect(() => setChosen([]), [filter]);
  const choose = (report: Report, on: boolean) =>
    setChosen((old) => [...old.filter((one) => one.name !== report.name), ...(on ? [report] : [])].slice(-2));
  const reports = state.data?.reports ?? [];
  return (
    <>
      <Heading title="Reports" />
      <div class="filters">
        {kTexts.map(([parameter]) => (
          <TextField key={parameter} name={parameter} search={search} set={set} />
        ))}
        <Field label="verdict">
          <select value={search.get('verdict') ?? ''} onChange={(event) => set({verdict: event.currentTarget.value})}>
            <option value="">any</option>
            <option value="ACCEPTED">accepted</option>
            <option value="ACCEPTED_WITH_WARNINGS">warnings</option>
            <option value="REJECTED">rejected</option>
            <option value="UNKNOWN">unknown</option>
          </select>
        </Field>
        <DateFields search={search} set={set} />
      </div>
      <Waiting {...state} loading={state.loading && !state.data} what="reports" />
      {state.data && reports.length === 0 && (
        <p class="empty">
          {state.data.nextPageToken ? 'None of the newest reports fits; older ones may.' : 'No report fits.'}
        </p>
      )}
      {reports.length > 0 && (
        <>
          <div class="actions">
            <button
              disabled={chosen.length !== 2}
              onClick={() => {
                // The older one is the base, on whatever page either was.
                const [older, newer] = [...chosen].sort((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1));
                navigate(`/compare${query({base: idOf(older!.name), other: idOf(newer!.name)})}`);
              }}
            >
              Compare the two chosen
            </button>
          </div>
          <div class="scroll" tabIndex={0} role="region" aria-label="Reports">
            <table>
              <thead>
                <tr>
                  <th scope="col">
                    <span class="hidden">choose</span>
                  </th>
                  <th scope="col">time (UTC)</th>
                  <th scope="col">model</th>
                  <th scope="col">results</th>
                  <th scope="col">from</th>
                </tr>
              </thead>
              <tbody>
                {reports.map((report) => (
                  <tr key={report.name}>
                    <td>
                      <input
                        type="checkbox"
                        aria-label={`choose the report of ${report.model?.path ?? ''} ${report.createTime ?? ''}`}
                        checked={chosen.some((one) => one.name === report.name)}
                        onChange={(event) => choose(report, event.currentTarget.checked)}
                      />
                    </td>
                    <td>
                      <Time value={report.createTime} />
                    </td>
                    <td>
                      <Link href={`/reports/${idOf(report.name)}`}>{report.model?.path || '(no name)'}</Link>
                    </td>
                    <td class="results">
                      {report.results.slice(0, 8).map((result) => (
                        <span key={result.target}>
                          {result.target} <VerdictBadge verdict={result.verdict} />
                        </span>
                      ))}
                      {report.results.length > 8 && <span>{`and ${report.results.length - 8} more`}</span>}
                    </td>
                    <td>
                      {[report.labels?.repository, report.labels?.branch, report.labels?.pullRequest]
                        .filter(Boolean)
                        .join(' · ')}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
      {(reports.length > 0 || token !== '' || state.data?.nextPageToken) && (
        <div class="pages">
          <button disabled={token === ''} onClick={() => set({page: ''})}>
            newest
          </button>
          <button disabled={!state.data?.nextPageToken} onClick={() => set({page: state.data?.nextPageToken ?? ''})}>
            older
          </button>
        </div>
      )}
    </>
  );
}
