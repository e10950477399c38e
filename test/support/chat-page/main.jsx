/** A page with `useChat`, written as a reader of docs/ai-sdk.md would write it: `?url=&token=&id=&agent=`. */

import { useChat } from '@ai-sdk/react';
import {
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
} from 'ai';
import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { steploopTransport } from 'steploop/ai-sdk';

const { url, token, id, agent = 'worker' } = Object.fromEntries(new URLSearchParams(location.search));

function Chat({ before }) {
  const [text, setText] = useState('');
  const [files, setFiles] = useState();
  const { messages, sendMessage, regenerate, stop, status, error, addToolApprovalResponse, addToolOutput } =
    useChat({
      id,
      messages: before,
      resume: true,
      transport: steploopTransport({ url, token, agent }),
      sendAutomaticallyWhen: (options) =>
        lastAssistantMessageIsCompleteWithApprovalResponses(options) ||
        lastAssistantMessageIsCompleteWithToolCalls(options),
    });
  return (
    <main>
      <p role="status">{status}</p>
      {error && <p role="alert">{error.message}</p>}
      {messages.map((message) => (
        <article key={message.id} aria-label={message.role}>
          {message.parts.map((part, at) => (
            <Part key={at} part={part} approve={addToolApprovalResponse} answer={addToolOutput} />
          ))}
        </article>
      ))}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          sendMessage({ text, files });
          setText('');
          setFiles(undefined);
        }}
      >
        <input aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} />
        <input aria-label="Files" type="file" multiple onChange={(event) => setFiles(event.target.files)} />
        <button type="submit">Send</button>
        <button type="button" onClick={stop}>
          Stop
        </button>
        <button type="button" onClick={() => regenerate()}>
          Retry
        </button>
      </form>
    </main>
  );
}

function Part({ part, approve, answer }) {
  if (part.type === 'text') return <p data-part="text">{part.text}</p>;
  if (part.type === 'file') return <img alt={part.filename ?? part.mediaType} src={part.url} />;
  if (part.type === 'data-steploop-usage') return <p data-part="usage">{`${part.data.costUsd} USD`}</p>;
  if (part.type === 'data-steploop-guard') return <p data-part="guard">{part.data.message}</p>;
  if (part.type === 'tool-ask_user' && part.state === 'input-available' && !part.providerExecuted) {
    const { toolCallId } = part;
    return (
      <button type="button" onClick={() => answer({ tool: 'ask_user', toolCallId, output: 'Blue' })}>
        {part.input.question}
      </button>
    );
  }
  if (part.state === 'approval-requested') {
    return (
      <section aria-label="Approval">
        <pre>{JSON.stringify(part.input)}</pre>
        <button type="button" onClick={() => approve({ id: part.approval.id, approved: true })}>
          Approve
        </button>
        <button
          type="button"
          onClick={() => approve({ id: part.approval.id, approved: false, reason: 'Not now' })}
        >
          Deny
        </button>
      </section>
    );
  }
  return part.toolCallId ? <p data-part="call">{`${part.type} ${part.state}`}</p> : null;
}

const before = await steploopTransport({ url, token }).messages(id);
createRoot(document.getElementById('root')).render(
  <StrictMode>
    <Chat before={before} />
  </StrictMode>,
);
