// Findings over time by family, verdicts, and how long findings took to be fixed.
import {scaleBand, scaleLinear} from 'd3-scale';
import {query, type TrendPoint, type Verdict} from './api';
import {finished} from './events';
import {useQuery} from './location';
import {DateFields, duration, Field, Heading, plural, useApi, verdictText, Waiting} from './parts';
import {fleetFilter, FleetFilters} from './view_fleet';

const kWidth = 720;
const kHeight = 240;
const kMargin = {top: 10, right: 8, bottom: 24, left: 44};

interface Series {
  name: string;
  css: string;
  values: number[];
}

// Stacked bars: one per point of time. The folded table below says the same to who does not see them.
function Bars(props: {title: string; days: string[]; series: Series[]}) {
  const totals = props.days.map((_, index) => props.series.reduce((sum, one) => sum + one.values[index]!, 0));
  const x = scaleBand(props.days, [kMargin.left, kWidth - kMargin.right]).padding(0.15);
  const y = scaleLinear([0, Math.max(1, ...totals)], [kHeight - kMargin.bottom, kMargin.top]).nice();
  const every = Math.ceil(props.days.length / 10);
  return (
    <figure>
      <figcaption>{props.title}</figcaption>
      <div class="scroll" tabIndex={0} role="region" aria-label={props.title}>
        <svg
          viewBox={`0 0 ${kWidth} ${kHeight}`}
          class="chart"
          role="img"
          aria-label={`${props.title}; the numbers are in the table below`}
        >
          {y.ticks(4).map((tick) => (
            <g key={tick} class="tick">
              <line x1={kMargin.left} x2={kWidth - kMargin.right} y1={y(tick)} y2={y(tick)} />
              <text x={kMargin.left - 6} y={y(tick) + 4} text-anchor="end">
                {tick.toLocaleString('en')}
              </text>
            </g>
          ))}
          {props.days.map((day, index) => {
            let base = 0;
            return (
              <g key={day}>
                {props.series.map((one) => {
                  const value = one.values[index]!;
                  const top = y(base + value);
                  const height = y(base) - top;
                  base += value;
                  return (
                    height > 0 && (
                      <rect key={one.name} class={one.css} x={x(day)} width={x.bandwidth()} y={top} height={height}>
                        <title>{`${day} ${one.name}: ${value}`}</title>
                      </rect>
                    )
                  );
                })}
                {index % every === 0 && (
                  <text x={x(day)! + x.bandwidth() / 2} y={kHeight - 8} text-anchor="middle">
                    {day.slice(5)}
                  </text>
                )}
              </g>
            );
          })}
        </svg>
      </div>
      <ul class="legend" aria-label={`Colors of ${props.title}`}>
        {props.series.map((one) => (
          <li key={one.name}>
            <svg width="12" height="12" aria-hidden="true">
              <rect class={one.css} width="12" height="12" />
            </svg>{' '}
            {one.name}
          </li>
        ))}
      </ul>
      <details>
        <summary>Numbers</summary>
        <div class="scroll" tabIndex={0} role="region" aria-label={`Numbers of ${props.title}`}>
          <table>
            <thead>
              <tr>
                {['from', ...props.series.map((one) => one.name)].map((text) => (
                  <th scope="col" key={text}>
                    {text}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {props.days.map((day, index) => (
                <tr key={day}>
                  <th scope="row">{day}</th>
                  {props.series.map((one) => (
                    <td key={one.name}>{one.values[index]!.toLocaleString('en')}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}

const kVerdicts: [Verdict, string][] = [
  ['ACCEPTED', 'v-ok'],
  ['ACCEPTED_WITH_WARNINGS', 'v-warn'],
  ['REJECTED', 'v-bad'],
  ['UNKNOWN', 'v-unknown'],
];

export function Trends() {
  const [search, set] = useQuery();
  const step = search.get('step') === 'week' ? 'week' : 'day';
  const version = finished.use();
  const state = useApi<{points: TrendPoint[]}>(
    `/v1/trends${query({
      filter: fleetFilter(search),
      step: step === 'week' ? 'STEP_WEEK' : 'STEP_DAY',
      startTime: search.get('since') ? `${search.get('since')}T00:00:00Z` : '',
      endTime: search.get('until') ? `${search.get('until')}T23:59:59Z` : '',
    })}`,
    version,
  );
  const points = state.data?.points ?? [];
  const days = points.map((point) => (point.startTime ?? '').slice(0, 10));
  const families = [...new Set(points.flatMap((point) => point.families.map((one) => one.family)))].sort();
  const ofFamily = (point: TrendPoint, family: string) => point.families.find((one) => one.family === family);
  const total = points.reduce((sum, point) => sum + Number(point.results), 0);
  const totals = families.map((family) => {
    let findings = 0;
    let fixed = 0;
    let seconds = 0;
    for (const point of points) {
      const one = ofFamily(point, family);
      if (!one) continue;
      findings += Number(one.findings);
      fixed += Number(one.fixed);
      seconds += Number(one.fixed) * one.meanSecondsToFix;
    }
    return {family, findings, fixed, mean: fixed > 0 ? seconds / fixed : 0};
  });
  return (
    <>
      <Heading title="Trends" />
      <FleetFilters search={search} set={set} />
      <div class="filters">
        <Field label="per">
          <select value={step} onChange={(event) => set({step: event.currentTarget.value === 'week' ? 'week' : ''})}>
            <option value="day">day</option>
            <option value="week">week</option>
          </select>
        </Field>
        <DateFields search={search} set={set} />
      </div>
      <Waiting {...state} loading={state.loading && !state.data} what="trends" />
      {state.data && total === 0 && <p class="empty">No reports in this time.</p>}
      {total > 0 && (
        <>
          <p class="quiet">{`${plural(total, 'result')} in ${plural(points.length, step)}`}</p>
          <Bars
            title="Findings by family"
            days={days}
            series={families.map((family, index) => ({
              name: family,
              css: `s${index % 11}`,
              values: points.map((point) => Number(ofFamily(point, family)?.findings ?? 0)),
            }))}
          />
          <Bars
            title="Results by verdict"
            days={days}
            series={kVerdicts.map(([verdict, css]) => ({
              name: verdictText(verdict),
              css,
              values: points.map((point) =>
                Number(point.verdicts.find((one) => one.verdict === verdict)?.results ?? 0),
              ),
            }))}
          />
          <h2>Time to fix</h2>
          <div class="scroll" tabIndex={0} role="region" aria-label="Time to fix">
            <table>
              <thead>
                <tr>
                  {['family', 'findings', 'fixed', 'mean time to fix'].map((text) => (
                    <th scope="col" key={text}>
                      {text}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {totals.map((one) => (
                  <tr key={one.family}>
                    <th scope="row">{one.family}</th>
                    <td>{one.findings.toLocaleString('en')}</td>
                    <td>{one.fixed.toLocaleString('en')}</td>
                    <td>{one.fixed > 0 ? duration(one.mean) : '–'}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </>
  );
}
