// What a vendor's log says, and what to change.
import {useState} from 'preact/hooks';
import {call, type ApiError, type DecodedLog} from './api';
import {Heading, plural, Waiting} from './parts';

const kExample = '0x408 != 0x232';

export function Decode() {
  const [text, setText] = useState('');
  const [state, setState] = useState<{log?: DecodedLog; error?: ApiError; loading: boolean}>({loading: false});
  const decode = (log: string) => {
    setState({loading: true});
    call<DecodedLog>('/v1/logs:decode', {
      method: 'POST',
      headers: {'Content-Type': 'application/json'},
      body: JSON.stringify({text: log}),
    }).then(
      (answer) => setState({log: answer, loading: false}),
      (error: ApiError) => setState({error, loading: false}),
    );
  };
  return (
    <>
      <Heading title="Decode a log" />
      <p>
        Paste what QNN, ExecuTorch, ONNX Runtime, TFLite, Vela or another tool printed, or an error code: what it means,
        which rule finds it before, and what to change.
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          decode(text);
        }}
      >
        <label class="wide">
          <span>Log or error code</span>
          <textarea
            rows={8}
            spellcheck={false}
            value={text}
            placeholder={kExample}
            onInput={(event) => setText(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) decode(text);
            }}
          />
        </label>
        <div class="actions">
          <button class="primary" disabled={text.trim() === '' || state.loading}>
            Decode
          </button>
          <button
            type="button"
            onClick={() => {
              setText(kExample);
              decode(kExample);
            }}
          >
            Show an example
          </button>
        </div>
      </form>
      <Waiting {...state} what="its meaning" />
      {state.log && (
        <section aria-live="polite">
          <p class="quiet">{`${plural(state.log.lines, 'line')}, ${plural(state.log.messages.length, 'known message')}, ${state.log.unknownCount} unknown`}</p>
          {state.log.messages.map((one) => (
            <article class="finding" key={one.line}>
              <p>
                <code>{one.text}</code>
              </p>
              <dl>
                <dt>line</dt>
                <dd>{`${one.line}${one.count > 1 ? `, and ${one.count - 1} more that mean the same` : ''} (${one.tool})`}</dd>
                <dt>means</dt>
                <dd>{one.means}</dd>
                <dt>rules</dt>
                <dd>
                  {one.rules.map((rule) => `${rule.code} ${rule.name}`).join(', ') ||
                    'no rule of this version finds it before'}
                </dd>
                <dt>change</dt>
                <dd>{one.change}</dd>
                <dt>source</dt>
                <dd>{one.source}</dd>
              </dl>
            </article>
          ))}
          {state.log.unknown.length > 0 && (
            <>
              <h2>Unknown</h2>
              <ul class="plain">
                {state.log.unknown.map((one) => (
                  <li key={one.line}>
                    {`line ${one.line}: `}
                    <code>{one.text}</code>
                  </li>
                ))}
              </ul>
            </>
          )}
        </section>
      )}
    </>
  );
}
