import {render} from 'preact';
import {useEffect, useRef} from 'preact/hooks';
import {Link, Route, Switch, useLocation} from 'wouter-preact';
import {idOf} from './api';
import {checks, live, news, watch} from './events';
import {Heading, plural, VerdictBadge} from './parts';
import {Compare} from './view_compare';
import {Decode} from './view_decode';
import {Fleet} from './view_fleet';
import {GraphPage} from './view_graph';
import {ReportPage} from './view_report';
import {Reports} from './view_reports';
import {Trends} from './view_trends';
import {Upload} from './view_upload';

const kViews = [
  ['/', 'Fleet'],
  ['/reports', 'Reports'],
  ['/trends', 'Trends'],
  ['/compare', 'Compare'],
  ['/check', 'Check a model'],
  ['/decode', 'Decode a log'],
] as const;

function Header() {
  const [path] = useLocation();
  return (
    <header>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <span class="brand">QuantGate</span>
      <nav aria-label="Views">
        {kViews.map(([to, text]) => (
          <Link key={to} href={to} aria-current={path === to ? 'page' : undefined}>
            {text}
          </Link>
        ))}
      </nav>
      <span class="live" role="status">
        {live.use() ? '' : 'not live: looked at again every minute'}
      </span>
    </header>
  );
}

// What runs on the server now.
function Running() {
  const list = checks.use();
  if (list.length === 0) return null;
  return (
    <section class="running" aria-label="Checks on this server">
      {list.map((check) => (
        <div key={check.id} class={check.ended ? 'ended' : ''}>
          <span class="name">{check.model || 'a graph without a name'}</span>
          {check.ended ? (
            check.error ? (
              <span class="error">{check.error}</span>
            ) : (
              <>
                {(check.verdicts ?? []).slice(0, 4).map((one) => (
                  <span key={one.target} title={one.target}>
                    <VerdictBadge verdict={one.verdict} />
                  </span>
                ))}
                {check.report && <Link href={`/reports/${idOf(check.report)}`}>report</Link>}
              </>
            )
          ) : (
            <span>
              {[
                `${check.phase}${check.targets.length > 0 ? ` for ${plural(check.targets.length, 'target')}` : ''}`,
                ...(Number(check.nodes) > 0 ? [plural(Number(check.nodes), 'node')] : []),
                `for ${(check.elapsedMs / 1000).toFixed(1)} s`,
              ].join(', ')}
              <progress aria-label={`${check.phase} ${check.model}`} />
            </span>
          )}
        </div>
      ))}
    </section>
  );
}

function App() {
  const [path] = useLocation();
  const first = useRef(true);
  useEffect(() => {
    if (!first.current) document.querySelector<HTMLElement>('h1')?.focus();
    first.current = false;
  }, [path]);
  return (
    <>
      <Header />
      <Running />
      <p class="hidden" role="status">
        {news.use()}
      </p>
      <main id="main">
        <Switch>
          <Route path="/" component={Fleet} />
          <Route path="/reports" component={Reports} />
          <Route path="/reports/:id/graph">{(params) => <GraphPage key={params.id} id={params.id} />}</Route>
          <Route path="/reports/:id">{(params) => <ReportPage key={params.id} id={params.id} />}</Route>
          <Route path="/trends" component={Trends} />
          <Route path="/compare" component={Compare} />
          <Route path="/check" component={Upload} />
          <Route path="/decode" component={Decode} />
          <Route>
            <Heading title="There is no such page" />
          </Route>
        </Switch>
      </main>
    </>
  );
}

watch();
render(<App />, document.getElementById('app')!);
