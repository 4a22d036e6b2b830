// What changed from one report to another.
import {Link} from 'wouter-preact';
import {idOf, query, quoted, type Finding, type Report, type TargetDiff} from './api';
import {FindingView} from './finding';
import {useQuery} from './location';
import {Field, Heading, plural, SeverityBadge, Time, useApi, VerdictBadge, Waiting} from './parts';
import {useState} from 'preact/hooks';

const kShown = 20;

function Group(props: {title: string; mark: string; findings: Finding[]; report: string; open: boolean}) {
  const [open, setOpen] = useState(props.open);
  const [limit, setLimit] = useState(kShown);
  if (props.findings.length === 0) return null;
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span aria-hidden="true">{props.mark}</span> <strong>{props.title}</strong>{' '}
        {plural(props.findings.length, 'finding')}
      </summary>
      {open &&
        props.findings.slice(0, limit).map((finding, index) => (
          <div key={index} class="row">
            <SeverityBadge severity={finding.severity} /> <strong>{`${finding.code} ${finding.rule}`}</strong>
            <FindingView finding={finding} report={props.report} compact />
          </div>
        ))}
      {open && props.findings.length > limit && (
        <button onClick={() => setLimit(limit + 100)}>{`show more of ${props.findings.length}`}</button>
      )}
    </details>
  );
}

// Reports to choose from: the newest of the other one's model, or of all.
function Choice(props: {label: string; value: string; model: string; onChange: (id: string) => void}) {
  const filter = props.model ? `model.path = ${quoted(props.model)}` : '';
  const list = useApi<{reports: Report[]}>(`/v1/reports${query({filter, pageSize: 100})}`);
  const reports = list.data?.reports ?? [];
  const known = reports.some((report) => idOf(report.name) === props.value);
  return (
    <Field label={props.label}>
      <select value={props.value} onChange={(event) => props.onChange(event.currentTarget.value)}>
        <option value="">choose a report</option>
        {props.value && !known && <option value={props.value}>{props.value}</option>}
        {reports.map((report) => (
          <option key={report.name} value={idOf(report.name)}>
            {`${(report.createTime ?? '').slice(0, 16).replace('T', ' ')} ${report.model?.path ?? ''}`}
          </option>
        ))}
      </select>
    </Field>
  );
}

export function Compare() {
  const [search, set] = useQuery();
  const base = search.get('base') ?? '';
  const other = search.get('other') ?? '';
  const otherReport = useApi<{report: Report}>(other ? `/v1/reports/${encodeURIComponent(other)}` : null);
  const both = base !== '' && other !== '';
  const state = useApi<{base: Report; other: Report; targets: TargetDiff[]}>(
    both ? `/v1/reports:diff${query({base: `reports/${base}`, other: `reports/${other}`})}` : null,
  );
  const model = otherReport.data?.report.model?.path ?? '';
  return (
    <>
      <Heading title="Compare two reports" />
      <div class="filters">
        <Choice label="before" value={base} model={model} onChange={(id) => set({base: id})} />
        <Choice label="after" value={other} model="" onChange={(id) => set({other: id})} />
        <button disabled={!both} onClick={() => set({base: other, other: base})}>
          swap
        </button>
      </div>
      {!both && <p class="empty">Choose two reports here, or in the list of reports.</p>}
      {both && <Waiting {...state} what="the comparison" />}
      {state.data && both && (
        <>
          <p>
            <Link href={`/reports/${base}`}>{state.data.base.model?.path || base}</Link>{' '}
            <Time value={state.data.base.createTime} /> <span aria-hidden="true">→</span>{' '}
            <Link href={`/reports/${other}`}>{state.data.other.model?.path || other}</Link>{' '}
            <Time value={state.data.other.createTime} />
          </p>
          {state.data.targets.map((target) => (
            <section key={`${target.target}\n${target.baseTarget}`} class="result">
              <h2>
                {target.target || target.baseTarget}{' '}
                <VerdictBadge verdict={target.baseTarget ? target.baseVerdict : 'VERDICT_UNSPECIFIED'} />{' '}
                <span aria-label="to">→</span>{' '}
                <VerdictBadge verdict={target.target ? target.verdict : 'VERDICT_UNSPECIFIED'} />
              </h2>
              {target.newFindings.length + target.fixedFindings.length + target.remainingFindings.length === 0 && (
                <p>No findings before or after.</p>
              )}
              <Group title="new" mark="+" findings={target.newFindings} report={other} open />
              <Group title="fixed" mark="−" findings={target.fixedFindings} report={base} open />
              <Group title="still there" mark="=" findings={target.remainingFindings} report={other} open={false} />
            </section>
          ))}
        </>
      )}
    </>
  );
}
