import { type FormEvent, useState } from 'react';
import type { Item, WaitInfo } from 'steploop/client';
import { useApprovals, useSession, useSessions } from 'steploop/react';

/** Sessions on the left, one of them on the right, and above both the requests to people. */
export function App({ agent }: { readonly agent: string }) {
  const [sessionId, setSessionId] = useState<string>();
  const { sessions, hasMore, more, start, error } = useSessions({ agent, limit: 5 });
  const begin = async (message: string) => setSessionId((await start({ agent, message })).sessionId);
  return (
    <>
      <Inbox />
      <nav aria-label="Sessions">
        {sessions.map(({ sessionId: id, title, state }) => (
          <button key={id} type="button" onClick={() => setSessionId(id)}>
            {title || id}: {state}
          </button>
        ))}
        {hasMore && (
          <button type="button" onClick={() => void more()}>
            More
          </button>
        )}
        <button type="button" onClick={() => setSessionId(undefined)}>
          New session
        </button>
      </nav>
      <p role="alert">{error?.message}</p>
      {sessionId === undefined ? <Say onSay={begin} /> : <Session sessionId={sessionId} />}
    </>
  );
}

function Session({ sessionId }: { readonly sessionId: string }) {
  const { items, state, waits, steps, error, send, decide, answer, stop } = useSession(sessionId, {
    steps: true,
  });
  const cost = steps.reduce((sum, { costUsd = 0 }) => sum + costUsd, 0);
  return (
    <section aria-label="Session">
      <p role="status">
        {state}, {steps.length} steps, {cost.toFixed(4)} USD
      </p>
      <ol aria-label="Conversation">
        {items.map((item) => (
          <li key={item.id}>{lineOf(item)}</li>
        ))}
      </ol>
      {waits.map((wait) => (
        <Wait
          key={wait.id}
          wait={wait}
          onDecide={(approved) => decide({ id: wait.id, approved })}
          onAnswer={(text) => answer(wait.id, text)}
        />
      ))}
      <Say onSay={send} />
      <button type="button" onClick={() => void stop()}>
        Stop
      </button>
      <p role="alert">{error?.message}</p>
    </section>
  );
}

function Inbox() {
  const { asked, decide, answer } = useApprovals();
  return (
    <section aria-label="Inbox">
      {asked.map(({ session: { sessionId }, wait }) => (
        <Wait
          key={wait.id}
          wait={wait}
          onDecide={(approved) => decide(sessionId, { id: wait.id, approved })}
          onAnswer={(text) => answer(sessionId, wait.id, text)}
        />
      ))}
    </section>
  );
}

interface WaitProps {
  readonly wait: WaitInfo;
  readonly onDecide: (approved: boolean) => Promise<void>;
  readonly onAnswer: (text: string) => Promise<void>;
}

function Wait({ wait: { kind, message }, onDecide, onAnswer }: WaitProps) {
  const [failure, setFailure] = useState('');
  const decide = (approved: boolean) => onDecide(approved).catch((error: Error) => setFailure(error.message));
  return (
    <article aria-label="Asked">
      <pre>{message}</pre>
      {kind === 'question' ? (
        <Say onSay={onAnswer} />
      ) : (
        <>
          <button type="button" onClick={() => void decide(true)}>
            Approve
          </button>
          <button type="button" onClick={() => void decide(false)}>
            Refuse
          </button>
        </>
      )}
      <p role="alert">{failure}</p>
    </article>
  );
}

function Say({ onSay }: { readonly onSay: (text: string) => Promise<unknown> }) {
  const [text, setText] = useState('');
  const [failure, setFailure] = useState('');
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    try {
      await onSay(text);
      setText('');
    } catch (error) {
      // The text stays in the field: sent again, it counts as the same message.
      setFailure(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <label>
        Message <input value={text} onChange={(event) => setText(event.target.value)} required />
      </label>
      <button type="submit">Send</button>
      <p role="alert">{failure}</p>
    </form>
  );
}

function lineOf(item: Item): string {
  switch (item.kind) {
    case 'message':
      return `${item.role}: ${item.text}`;
    case 'call':
      return `${item.name}(${item.args}) ${item.result ?? '…'}`;
    case 'fold':
      return 'The conversation was compacted here.';
    default:
      return item satisfies never;
  }
}
