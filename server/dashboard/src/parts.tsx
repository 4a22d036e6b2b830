// Small pieces that several views share.
import type {ComponentChildren} from 'preact';
import {useEffect, useRef, useState} from 'preact/hooks';
import {ApiError, call, type Severity, type Verdict} from './api';

interface Loaded<T> {
  data?: T;
  error?: ApiError;
  loading: boolean;
}

// What `load` brings for `key`, and again when `version` changes. What is under way for the same key is let finish first:
// on a busy server it would never come. Null key: nothing is asked.
export function useLoad<T>(key: string | null, load: (signal: AbortSignal) => Promise<T>, version = 0): Loaded<T> {
  const [state, setState] = useState<Loaded<T> & {key: string | null}>({key: null, loading: true});
  const again = useRef<(() => void) | null>(null);
  const seen = useRef(version);
  useEffect(() => {
    if (key === null) return;
    const abort = new AbortController();
    let running = false;
    let stale = false;
    const run = async () => {
      stale = running;
      if (running) return;
      running = true;
      do {
        stale = false;
        // What is shown stays until there is something newer, if it is an answer to the same question.
        setState((old) => (old.key === key ? {...old, loading: true} : {key, loading: true}));
        let next: Loaded<T>;
        try {
          next = {data: await load(abort.signal), loading: false};
        } catch (error) {
          next = {error: error instanceof ApiError ? error : new ApiError(0, String(error)), loading: false};
        }
        if (abort.signal.aborted) return;
        setState({key, ...next});
      } while (stale);
      running = false;
    };
    again.current = run;
    void run();
    return () => {
      again.current = null;
      abort.abort();
    };
  }, [key]);
  useEffect(() => {
    if (version === seen.current) return;
    seen.current = version;
    again.current?.();
  }, [version]);
  return state;
}

// What the server says at `path`, again whenever that or `version` changes. Null path: nothing is asked.
export function useApi<T>(path: string | null, version = 0): Loaded<T> {
  return useLoad(path, (signal) => call<T>(path!, {signal}), version);
}

export function Waiting(props: {error?: ApiError; loading: boolean; what: string}) {
  if (props.error) {
    return (
      <p class="error" role="alert">
        {props.error.message}
      </p>
    );
  }
  return props.loading ? <p class="quiet" role="status">{`Loading ${props.what}…`}</p> : null;
}

// A member of an enum as words. One that this version does not know is its number in JSON.
export const words = (member: unknown): string => String(member ?? '').toLowerCase().replaceAll('_', ' ');

// JSON of protobuf has text for NaN and for infinities.
export const fixed = (value: unknown, digits: number): string =>
  typeof value === 'number' ? value.toFixed(digits) : typeof value === 'string' ? value : '–';

const kVerdicts: Record<Verdict, {mark: string; text: string; css: string}> = {
  ACCEPTED: {mark: '✓', text: 'accepted', css: 'ok'},
  ACCEPTED_WITH_WARNINGS: {mark: '▲', text: 'warnings', css: 'warn'},
  REJECTED: {mark: '✗', text: 'rejected', css: 'bad'},
  UNKNOWN: {mark: '?', text: 'unknown', css: 'unknown'},
  VERDICT_UNSPECIFIED: {mark: '–', text: 'not checked', css: 'none'},
};
export const verdictText = (verdict: Verdict): string => (kVerdicts[verdict] ?? kVerdicts.UNKNOWN).text;

// Color, shape and word.
export function VerdictBadge(props: {verdict: Verdict}) {
  const verdict = kVerdicts[props.verdict] ?? kVerdicts.UNKNOWN;
  return (
    <span class={`badge ${verdict.css}`}>
      <span aria-hidden="true">{verdict.mark}</span> {verdict.text}
    </span>
  );
}

const kSeverities: Record<Severity, {mark: string; text: string; css: string}> = {
  ERROR: {mark: '✗', text: 'error', css: 'bad'},
  WARNING: {mark: '▲', text: 'warning', css: 'warn'},
  INFO: {mark: 'i', text: 'info', css: 'none'},
  SEVERITY_UNSPECIFIED: {mark: 'i', text: 'finding', css: 'none'},
};
export const severityText = (severity: Severity): string => (kSeverities[severity] ?? kSeverities.INFO).text;
export function SeverityBadge(props: {severity: Severity}) {
  const severity = kSeverities[props.severity] ?? kSeverities.INFO;
  return (
    <span class={`badge ${severity.css}`}>
      <span aria-hidden="true">{severity.mark}</span> {severity.text}
    </span>
  );
}

export function Time(props: {value?: string}) {
  if (!props.value) return <span>–</span>;
  const date = new Date(props.value);
  if (Number.isNaN(date.getTime())) return <span>{props.value}</span>;
  const text = `${date.toISOString().slice(0, 10)} ${date.toISOString().slice(11, 16)}`;
  return (
    <time dateTime={props.value} title={`${text} UTC`}>
      {text}
    </time>
  );
}

export function duration(seconds: number): string {
  if (!(seconds > 0)) return '–';
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 129600) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86400)} days`;
}

export const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;

export function Field(props: {label: string; children: ComponentChildren}) {
  return (
    <label class="field">
      <span>{props.label}</span>
      {props.children}
    </label>
  );
}

// A text of the address. What is being typed stays when the page is drawn again for another reason.
export function TextField(props: {
  name: string;
  search: URLSearchParams;
  set: (changes: Record<string, string>) => void;
  // Names that are known, to choose from.
  known?: string[];
}) {
  const input = useRef<HTMLInputElement>(null);
  const value = props.search.get(props.name) ?? '';
  useEffect(() => {
    if (input.current) input.current.value = value;
  }, [value]);
  return (
    <Field label={props.name.replace('_', ' ')}>
      <input
        ref={input}
        name={props.name}
        placeholder="any"
        list={props.known && `known-${props.name}`}
        onChange={(event) => props.set({[props.name]: event.currentTarget.value.trim()})}
      />
      {props.known && (
        <datalist id={`known-${props.name}`}>
          {props.known.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </Field>
  );
}

// The dates `since` and `until` of the address.
export function DateFields(props: {search: URLSearchParams; set: (changes: Record<string, string>) => void}) {
  return (
    <>
      {['since', 'until'].map((name) => (
        <Field key={name} label={name}>
          <input
            type="date"
            value={props.search.get(name) ?? ''}
            onChange={(event) => props.set({[name]: event.currentTarget.value})}
          />
        </Field>
      ))}
    </>
  );
}

// Sets the page's title and moves the keyboard to its heading, as a new page would.
export function Heading(props: {title: string; children?: ComponentChildren}) {
  useEffect(() => {
    document.title = `${props.title} · QuantGate`;
  }, [props.title]);
  return (
    <div class="heading">
      <h1 tabIndex={-1}>{props.title}</h1>
      {props.children}
    </div>
  );
}
