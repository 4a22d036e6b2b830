// One report: per target its findings by cause, corrections as before and after, what was not checked.
import {useState} from 'preact/hooks';
import {Link} from 'wouter-preact';
import {
  idOf,
  named,
  query,
  type Change,
  type CommonCorrections,
  type Correction,
  type Finding,
  type Report,
  type Result,
  type Simulation,
} from './api';
import {FindingView, place} from './finding';
import {fixed, Heading, plural, SeverityBadge, Time, useApi, VerdictBadge, Waiting, words} from './parts';

// So many of one cause are shown at once.
const kShown = 20;

// Findings that say the same of different places: of one rule, with one table row to blame.
interface Cause {
  key: string;
  findings: Finding[];
}
export function byCause(findings: Finding[]): Cause[] {
  const causes = new Map<string, Cause>();
  for (const finding of findings) {
    const key = JSON.stringify([finding.code, finding.severity, finding.source?.table, finding.source?.row]);
    const cause = causes.get(key) ?? {key, findings: []};
    cause.findings.push(finding);
    causes.set(key, cause);
  }
  const ranks: Record<string, number> = {ERROR: 0, WARNING: 1, INFO: 2};
  const rank = (cause: Cause) => ranks[cause.findings[0]!.severity] ?? 3;
  return [...causes.values()].sort(
    (a, b) => rank(a) - rank(b) || b.findings.length - a.findings.length,
  );
}

function CauseView(props: {cause: Cause; report: string; open: boolean}) {
  const [limit, setLimit] = useState(kShown);
  const [open, setOpen] = useState(props.open);
  const first = props.cause.findings[0]!;
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <SeverityBadge severity={first.severity} /> <strong>{`${first.code} ${first.rule}`}</strong>{' '}
        <span>{`${words(first.effect)} · ${plural(props.cause.findings.length, 'finding')}`}</span>
      </summary>
      {open && (
        <>
          {props.cause.findings.slice(0, limit).map((finding, index) => (
            <FindingView key={index} finding={finding} report={props.report} compact />
          ))}
          {props.cause.findings.length > limit && (
            <button onClick={() => setLimit(limit + 100)}>{`show more of ${props.cause.findings.length}`}</button>
          )}
        </>
      )}
    </details>
  );
}

// "int8, symmetric" of a spec, from the summary "a becomes b" where there is one.
function Sides(props: {summary: string}) {
  const [before, after] = props.summary.split(' becomes ');
  if (after === undefined) return <td colSpan={2}>{props.summary}</td>;
  return (
    <>
      <td>
        <del>{before}</del>
      </td>
      <td>
        <ins>{after}</ins>
      </td>
    </>
  );
}

function Changes(props: {changes: Change[]; label: string}) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={props.label}>
      <table>
        <thead>
          <tr>
            <th scope="col">where</th>
            <th scope="col">before</th>
            <th scope="col">after</th>
          </tr>
        </thead>
        <tbody>
          {props.changes.slice(0, 500).map((change, index) => (
            <tr key={index}>
              <td>{place(change.location)}</td>
              <Sides summary={change.summary} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function CorrectionView(props: {correction: Correction}) {
  const {correction} = props;
  const cost = correction.predictedCost;
  return (
    <details>
      <summary>
        <strong>{correction.id}</strong>{' '}
        {`${plural(correction.changes.length, 'change')} of specs, ${plural(correction.fixes.length, 'finding')} fixed`}
        {correction.proven ? ', checked again' : ', not proven'}
        {correction.safe ? ', safe' : ', numbers may change'}
        {cost && `, ${fixed(cost.sqnrBeforeDb, 1)} dB → ${fixed(cost.sqnrAfterDb, 1)} dB`}
      </summary>
      <Changes changes={correction.changes} label={`changes of ${correction.id}`} />
    </details>
  );
}

// One set of changes for several targets, and why others cannot have it.
function CommonView(props: {common: CommonCorrections}) {
  const {common} = props;
  return (
    <section class="result">
      <h2>Corrections for several targets</h2>
      {common.targets.length > 0 && (
        <p>
          {`One set of specs passes on ${common.targets.join(', ')}: ${plural(common.changes.length, 'change')}`}
          {common.proven ? ', checked again' : ', not proven'}
          {common.safe ? ', safe.' : ', numbers may change.'}
        </p>
      )}
      {common.changes.length > 0 && <Changes changes={common.changes} label="changes for several targets" />}
      <ul class="plain">
        {common.conflicts.map((conflict, index) => (
          <li key={index}>
            {`Not together: ${conflict.targets.join(', ')}. ${conflict.reason}`}
            <span class="quiet small">{place(conflict.location)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

// Reasons with what they hold for, instead of a line per node.
function NotChecked(props: {list: Result['notChecked']}) {
  const reasons = new Map<string, {rules: Set<string>; nodes: Set<string>}>();
  for (const one of props.list) {
    const reason = reasons.get(one.reason) ?? {rules: new Set<string>(), nodes: new Set<string>()};
    if (one.rule) reason.rules.add(one.rule);
    if (one.node) reason.nodes.add(one.node);
    reasons.set(one.reason, reason);
  }
  if (reasons.size === 0) return null;
  const few = (set: Set<string>) =>
    `${[...set].slice(0, 12).join(', ')}${set.size > 12 ? ` and ${set.size - 12} more` : ''}`;
  return (
    <section>
      <h3>Not checked</h3>
      <ul class="plain">
        {[...reasons].map(([reason, what]) => (
          <li key={reason}>
            {reason}
            {(what.rules.size > 0 || what.nodes.size > 0) && (
              <span class="quiet small">
                {[what.rules.size > 0 && `rules ${few(what.rules)}`, what.nodes.size > 0 && `nodes ${few(what.nodes)}`]
                  .filter(Boolean)
                  .join('; ')}
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function ResultView(props: {result: Result; report: string}) {
  const {result} = props;
  const causes = byCause(result.findings);
  const coverage = result.coverage;
  const index = result.outcome?.cause;
  const cause = index === undefined || index === null ? undefined : result.findings[index];
  return (
    <section class="result">
      <h2>
        {result.target} <VerdictBadge verdict={result.verdict} />
      </h2>
      {result.verdictReason && <p>{result.verdictReason}</p>}
      {result.unjudgedReason && !result.verdictReason && <p class="quiet">{result.unjudgedReason}</p>}
      <p class="quiet">
        {coverage &&
          `checked ${coverage.checkedNodes} of ${plural(coverage.nodes, 'node')}, ${coverage.checkedValues} of ${plural(coverage.values, 'value')}`}
        {result.outcome &&
          result.outcome.kind !== 'KIND_UNSPECIFIED' &&
          ` · outcome: ${words(result.outcome.kind)}${cause ? `, because of ${cause.code} at ${place(cause.location)}` : ''}`}
        {Number(result.unlistedFindings ?? 0) > 0 && ` · ${result.unlistedFindings} findings are not listed`}
      </p>
      {causes.length === 0 ? (
        <p>No findings.</p>
      ) : (
        causes.map((cause, index) => <CauseView key={cause.key} cause={cause} report={props.report} open={index < 3} />)
      )}
      {result.corrections.length > 0 && (
        <section>
          <h3>Corrections</h3>
          {result.corrections.map((correction) => (
            <CorrectionView key={correction.id} correction={correction} />
          ))}
        </section>
      )}
      <NotChecked list={result.notChecked} />
    </section>
  );
}

// What the numbers do, when the report says.
function SimulationView(props: {simulation: Simulation; report: string}) {
  const {profile, profileReason, inputs, firstBadNode} = props.simulation;
  const nodes = props.simulation.nodes ?? [];
  return (
    <section class="result">
      <h2>Simulated numbers</h2>
      <p class="quiet">
        {`arithmetic of ${profile}${profileReason ? ` (${profileReason})` : ''}, inputs ${inputs || 'not said'}, ${plural(nodes.length, 'output')}`}
      </p>
      {firstBadNode && (
        <p>
          First node that loses precision of its own:{' '}
          {props.report ? (
            <Link href={`/reports/${props.report}/graph${query({node: firstBadNode})}`}>{firstBadNode}</Link>
          ) : (
            firstBadNode
          )}
        </p>
      )}
      <div class="scroll" tabIndex={0} role="region" aria-label="Simulated numbers">
        <table>
          <thead>
            <tr>
              {[
                'node',
                'operator',
                'SQNR (dB)',
                'own SQNR (dB)',
                'largest error (LSB)',
                'saturated',
                'accumulator bits',
              ].map((text) => (
                <th scope="col" key={text}>
                  {text}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {nodes.slice(0, 1000).map((one, index) => (
              <tr key={index}>
                <td>{one.output > 0 ? `${one.node}, output ${one.output}` : one.node}</td>
                <td title={one.floatReason}>{one.floatReason ? `${one.op} (in float)` : one.op}</td>
                <td>{fixed(one.sqnrDb, 1)}</td>
                <td>{fixed(one.ownSqnrDb, 1)}</td>
                <td>{fixed(one.maxAbsErrorLsb, 2)}</td>
                <td>
                  {typeof one.saturatedFraction === 'number' ? `${(100 * one.saturatedFraction).toFixed(2)} %` : '–'}
                </td>
                <td>{one.accumulatorBits > 0 ? `${one.accumulatorBits} of ${one.accumulatorBitsAvailable}` : '–'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

// All that it says. One that was not stored has no graph to lead to.
export function ReportView(props: {report: Report}) {
  const {report} = props;
  const id = idOf(report.name);
  return (
    <>
      <p class="quiet">
        <Time value={report.createTime} />
        {[
          report.model?.format,
          words(report.stage).replace('stage ', ''),
          report.labels?.repository,
          report.labels?.branch,
          report.labels?.revision?.slice(0, 12),
          report.labels?.pullRequest && `pull request ${report.labels.pullRequest}`,
        ]
          .filter(Boolean)
          .map((text) => ` · ${text}`)}
      </p>
      {report.results.map((result) => (
        <ResultView key={result.target} result={result} report={id} />
      ))}
      {report.commonCorrections && <CommonView common={report.commonCorrections} />}
      {report.simulation && <SimulationView simulation={report.simulation} report={id} />}
    </>
  );
}

export function ReportPage(props: {id: string}) {
  const state = useApi<{report: Report}>(`/v1/reports/${encodeURIComponent(props.id)}`);
  const report = state.data?.report;
  return (
    <>
      <Heading title={report ? report.model?.path || 'a graph without a name' : 'Report'}>
        {report && (
          <p class="actions">
            <Link href={`/reports/${props.id}/graph`}>Graph</Link>
            <Link href={`/reports${query({model: named(report.model?.path ?? '')})}`}>Reports of this model</Link>
            <Link href={`/compare${query({other: props.id})}`}>Compare</Link>
            <a href={`/v1/reports/${encodeURIComponent(props.id)}`} download={`${props.id}.json`}>
              JSON
            </a>
          </p>
        )}
      </Heading>
      <Waiting {...state} what="the report" />
      {report && <ReportView report={report} />}
    </>
  );
}
