// Checks that run now, from the server's stream of events.
import {signal} from './signal';
import type {CheckEvent} from './api';
import {verdictText} from './parts';

// Newest first: what runs, and the few that ended last.
export const checks = signal<(CheckEvent & {ended: boolean})[]>([]);
// Changes when checks have ended, but not for each one of many, and once a minute, for those of other servers of the
// same store: views that show reports look again then.
export const finished = signal(0);
// What began or ended last, in words.
export const news = signal('');
// False: the server lets nobody watch, or is not there.
export const live = signal(true);

const kKept = 6;
const kAgain = 15_000;
const kBundled = 5_000;
const kReload = 60_000;

let waits = false;
let told = -kBundled;

function tellFinished(): void {
  if (waits) return;
  waits = true;
  setTimeout(
    () => {
      waits = false;
      told = performance.now();
      finished.set((old) => old + 1);
    },
    Math.max(0, told + kBundled - performance.now()),
  );
}

// A browser opens few connections to one server, for all of its windows together: only those that are seen watch.
export function watch(): void {
  let source: EventSource | null = null;
  const follow = () => {
    const seen = document.visibilityState === 'visible';
    if (seen && (source === null || source.readyState === EventSource.CLOSED)) source = open();
    if (!seen) {
      source?.close();
      source = null;
    }
  };
  follow();
  document.addEventListener('visibilitychange', () => {
    follow();
    if (document.visibilityState === 'visible') tellFinished();
  });
  setInterval(() => document.visibilityState === 'visible' && tellFinished(), kReload);
  // A server that was too busy to be watched is asked again.
  setInterval(follow, kAgain);
}

function words(event: CheckEvent, ended: boolean): string {
  const model = event.model || 'a graph without a name';
  if (!ended) return `${event.phase} ${model} began`;
  const verdicts = (event.verdicts ?? []).map((one) => `${verdictText(one.verdict)} on ${one.target}`);
  return [`${event.phase} ${model} ended`, event.error ?? '', ...verdicts.slice(0, 4)].filter(Boolean).join(', ');
}

function open(): EventSource {
  const source = new EventSource('/v1/events');
  for (const name of ['started', 'progress', 'finished']) {
    source.addEventListener(name, (message) => {
      let event: CheckEvent;
      try {
        event = JSON.parse((message as MessageEvent<string>).data) as CheckEvent;
      } catch {
        return;
      }
      const ended = name === 'finished';
      if (name !== 'progress') news.set(words(event, ended));
      checks.set((old) => [{...event, ended}, ...old.filter((one) => one.id !== event.id)].slice(0, kKept));
      if (ended && event.phase === 'checking') tellFinished();
      // An import that went well is followed by its check.
      if (ended && event.phase === 'importing' && !event.error) {
        checks.set((old) => old.filter((one) => one.id !== event.id));
      }
    });
  }
  // A stream that breaks is opened again by the browser; what ran meanwhile is not known any more.
  source.addEventListener('error', () => {
    live.set(false);
    checks.set((old) => old.filter((one) => one.ended));
  });
  source.addEventListener('open', () => live.set(true));
  return source;
}
