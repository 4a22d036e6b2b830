// A model file in, its report out.
import {useEffect, useRef, useState} from 'preact/hooks';
import {useLocation} from 'wouter-preact';
import {ApiError, errorOf, idOf, type Report} from './api';
import {Field, Heading, useApi} from './parts';
import {ReportView} from './view_report';

interface Target {
  name: string;
  backend: string;
  soc: string;
  arch: string;
}

// fetch() does not tell how much of an upload has gone.
function send(url: string, file: File, progress: (part: number) => void, signal: AbortSignal): Promise<Report> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', url);
    request.setRequestHeader('X-QuantGate-Request', '1');
    request.setRequestHeader('Content-Type', 'application/octet-stream');
    request.upload.onprogress = (event) => progress(event.lengthComputable ? event.loaded / event.total : 0);
    request.onload = () => {
      if (request.status === 200) resolve((JSON.parse(request.responseText) as {report: Report}).report);
      else void errorOf(request.status, request.responseText).then(reject);
    };
    request.onerror = () => reject(new ApiError(0, 'the server cannot be reached, or it refused the file'));
    request.onabort = () => reject(new ApiError(0, 'stopped'));
    signal.addEventListener('abort', () => request.abort());
    request.send(file);
  });
}

const bytes = (count: number): string =>
  count >= 1 << 30 ? `${(count / (1 << 30)).toFixed(1)} GiB` : `${(count / (1 << 20)).toFixed(1)} MiB`;

export function Upload() {
  const [, navigate] = useLocation();
  const server = useApi<{maxUploadBytes: number}>('/v1/server');
  const targets = useApi<{targets: Target[]}>('/v1/targets?pageSize=1000');
  const [file, setFile] = useState<File | null>(null);
  const [chosen, setChosen] = useState<string[]>([]);
  const [name, setName] = useState('');
  const [branch, setBranch] = useState('');
  const [over, setOver] = useState(false);
  const [state, setState] = useState<{sent?: number; error?: ApiError; report?: Report}>({});
  const abort = useRef<AbortController | null>(null);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => () => abort.current?.abort(), []);

  const take = (taken: File | null | undefined) => {
    if (!taken) return;
    setFile(taken);
    setName(taken.name);
    setState({});
  };
  const limit = server.data?.maxUploadBytes ?? Infinity;
  const tooLarge = file !== null && file.size > limit;
  const start = () => {
    if (!file || tooLarge) return;
    abort.current = new AbortController();
    setState({sent: 0});
    const search = new URLSearchParams({path: name || file.name});
    for (const target of chosen) search.append('target', target);
    if (branch) search.set('labels.branch', branch);
    send(`/v1/models:check?${search}`, file, (sent) => setState({sent}), abort.current.signal).then(
      (report) => (report.name ? navigate(`/reports/${idOf(report.name)}`) : setState({report})),
      (error: ApiError) => setState({error}),
    );
  };
  const add = (text: string) => {
    const target = text.trim();
    if (target !== '' && !chosen.includes(target)) setChosen([...chosen, target]);
  };
  const running = state.sent !== undefined;
  return (
    <>
      <Heading title="Check a model" />
      {server.data?.maxUploadBytes === 0 && <p class="error">This server takes no model files.</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          start();
        }}
      >
        <div
          class={`drop${over ? ' over' : ''}`}
          onDragOver={(event) => {
            event.preventDefault();
            setOver(true);
          }}
          onDragLeave={() => setOver(false)}
          onDrop={(event) => {
            event.preventDefault();
            setOver(false);
            take(event.dataTransfer?.files[0]);
          }}
        >
          <label for="file">Drop an ONNX, LiteRT (.tflite) or PyTorch (.pt2) model here, or choose one:</label>
          <input id="file" ref={input} type="file" onChange={(event) => take(event.currentTarget.files?.[0])} />
          {file && <span>{`${file.name}, ${bytes(file.size)}`}</span>}
        </div>
        <p class="quiet">
          A model that keeps its weights in files beside it is checked where they are:{' '}
          <code>{`quantgate check MODEL --server ${location.hostname}:PORT`}</code>
        </p>
        {tooLarge && <p class="error" role="alert">{`This file is larger than the server takes (${bytes(limit)}).`}</p>}
        <div class="filters">
          <Field label="name in the report">
            <input value={name} onInput={(event) => setName(event.currentTarget.value)} />
          </Field>
          <Field label="branch">
            <input value={branch} placeholder="not said" onInput={(event) => setBranch(event.currentTarget.value)} />
          </Field>
          <Field label="add a target">
            <input
              list="targets"
              placeholder="qnn_htp/SM8650"
              onChange={(event) => {
                add(event.currentTarget.value);
                event.currentTarget.value = '';
              }}
              onKeyDown={(event) => {
                if (event.key !== 'Enter') return;
                event.preventDefault();
                add(event.currentTarget.value);
                event.currentTarget.value = '';
              }}
            />
          </Field>
          <datalist id="targets">
            {(targets.data?.targets ?? []).map((target) => (
              <option key={target.name} value={target.name}>
                {target.arch}
              </option>
            ))}
          </datalist>
        </div>
        <ul class="chips" aria-label="Targets">
          {chosen.length === 0 && <li class="quiet">no target: only the rules that hold everywhere</li>}
          {chosen.map((target) => (
            <li key={target}>
              {target}{' '}
              <button
                type="button"
                aria-label={`remove ${target}`}
                onClick={() => setChosen(chosen.filter((one) => one !== target))}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
        <div class="actions">
          <button class="primary" disabled={!file || tooLarge || running}>
            Check
          </button>
          {running && (
            <button type="button" onClick={() => abort.current?.abort()}>
              Stop
            </button>
          )}
        </div>
      </form>
      {running && (
        <p role="status">
          {state.sent! < 1 ? `sending, ${Math.round(100 * state.sent!)} %` : 'sent; it is read and checked'}{' '}
          <progress aria-label="upload" value={state.sent! < 1 ? state.sent : undefined} />
        </p>
      )}
      {state.error && (
        <p class="error" role="alert">
          {state.error.message}
        </p>
      )}
      {state.report && (
        <section aria-label="The report" aria-live="polite">
          <p>{`This server keeps no reports: this one of ${state.report.model?.path || 'a graph without a name'} is here until you leave.`}</p>
          <ReportView report={state.report} />
        </section>
      )}
    </>
  );
}
