// One finding, with what it is about; used by reports, the graph and comparisons.
import {Link} from 'wouter-preact';
import type {Finding, Location} from './api';
import {SeverityBadge, words} from './parts';

export function place(location?: Location | null): string {
  if (!location) return 'the whole graph';
  const parts = [location.subgraph, location.node && `${location.node}${location.op ? ` (${location.op})` : ''}`];
  if (location.input !== undefined && location.input !== null) parts.push(`input ${location.input}`);
  if (location.output !== undefined && location.output !== null) parts.push(`output ${location.output}`);
  if (location.value) parts.push(location.value);
  if (location.sourceLine) parts.push(location.sourceLine);
  return parts.filter(Boolean).join(', ') || 'the whole graph';
}

// Where the graph shows it: at the node, or at the one that owns the body which it is in.
function graphNode(location?: Location | null): string {
  return location?.subgraph || location?.node || '';
}

export function FindingView(props: {finding: Finding; report?: string; compact?: boolean}) {
  const {finding} = props;
  const rows: [string, string][] = [
    ['observed', finding.observed],
    ['allowed', finding.allowed],
    ['fix', finding.fix],
    [
      'source',
      [finding.source?.table, finding.source?.row, words(finding.source?.kind)].filter(Boolean).join(' '),
    ],
  ];
  if (finding.waiver) rows.push(['waived', `${finding.waiver.reason}, until ${finding.waiver.expires}`]);
  return (
    <article class="finding">
      <p>
        {!props.compact && <SeverityBadge severity={finding.severity} />} {finding.message}
      </p>
      <dl>
        <dt>where</dt>
        <dd>
          {props.report && graphNode(finding.location) ? (
            <Link href={`/reports/${props.report}/graph?${new URLSearchParams({node: graphNode(finding.location)})}`}>
              {place(finding.location)}
            </Link>
          ) : (
            place(finding.location)
          )}
        </dd>
        {rows
          .filter(([, text]) => text)
          .map(([label, text]) => [<dt key={label}>{label}</dt>, <dd key={`${label}.`}>{text}</dd>])}
      </dl>
    </article>
  );
}
