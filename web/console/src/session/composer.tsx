import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type KeyboardEvent, useRef, useState } from 'react';
import { useDeployment } from '../deployment.tsx';
import { Failure } from '../parts/failure.tsx';

interface ComposerProps {
  readonly sessionId: string;
  /** Whether a run is in progress: it can be stopped, and asked to wrap up. */
  readonly running: boolean;
}

/** The form in which an operator writes to the agent, and stops it. */
export function Composer({ sessionId, running }: ComposerProps) {
  const { client } = useDeployment();
  const queries = useQueryClient();
  const [text, setText] = useState('');
  // The same text sent again after a failure counts as the same message.
  const key = useRef(crypto.randomUUID());
  const onSettled = () => void queries.invalidateQueries({ queryKey: ['session', sessionId] });
  const send = useMutation({
    mutationFn: () => client.addMessage(sessionId, text, { idempotencyKey: key.current }),
    onSuccess: () => {
      setText('');
      key.current = crypto.randomUUID();
    },
    onSettled,
  });
  const stop = useMutation({ mutationFn: () => client.cancel(sessionId), onSettled });
  const wrapUp = useMutation({ mutationFn: () => client.wrapUp(sessionId), onSettled });
  const submit = (event: FormEvent | KeyboardEvent) => {
    event.preventDefault();
    if (text.trim() !== '' && !send.isPending) send.mutate();
  };
  return (
    <form className="composer" onSubmit={submit}>
      <label htmlFor="message" className="hidden">
        Message
      </label>
      <textarea
        id="message"
        rows={2}
        placeholder="A message to the agent"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          key.current = crypto.randomUUID();
        }}
        onKeyDown={(event) => {
          // Not the Enter that ends an input method's composition.
          if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) submit(event);
        }}
      />
      <div className="row">
        <button type="submit" className="primary" disabled={text.trim() === '' || send.isPending}>
          Send
        </button>
        <span className="grow" />
        <button type="button" disabled={!running || wrapUp.isPending} onClick={() => wrapUp.mutate()}>
          Wrap up
        </button>
        <button
          type="button"
          className="danger"
          disabled={!running || stop.isPending}
          onClick={() => stop.mutate()}
        >
          Stop
        </button>
      </div>
      <Failure error={send.error ?? stop.error ?? wrapUp.error} />
    </form>
  );
}
