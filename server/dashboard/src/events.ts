// Checks that run now, from the server's stream of events.
import {signal} from './signal';
import type {CheckEvent} from './api';

// Newest first: what runs, and the few that ended last.
export const checks = signal<(CheckEvent & {ended: boolean})[]>([]);
// Changes when checks have ended, but not for each one of many: views that show reports look again then.
export const finished = signal(0);

const kKept = 6;
const kAgain = 15_000;
const kBundled = 5_000;

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
  document.addEventListener('visibilitychange', follow);
  // A server that was too busy to be watched is asked again.
  setInterval(follow, kAgain);
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
      checks.set((old) => [{...event, ended}, ...old.filter((one) => one.id !== event.id)].slice(0, kKept));
      if (ended && event.phase === 'checking') tellFinished();
      // An import that went well is followed by its check.
      if (ended && event.phase === 'importing' && !event.error) {
        checks.set((old) => old.filter((one) => one.id !== event.id));
      }
    });
  }
  // A stream that breaks is opened again by the browser; what ran meanwhile is not known any more.
  source.addEventListener('error', () => checks.set((old) => old.filter((one) => one.ended)));
  return source;
}
