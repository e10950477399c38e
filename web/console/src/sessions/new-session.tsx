import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useRef, useState } from 'react';
import { useDeployment } from '../deployment.tsx';
import { Failure } from '../parts/failure.tsx';
import { useAgents } from './filter-bar.tsx';

/** Starts a session with a message. */
export function NewSession() {
  const { client } = useDeployment();
  const navigate = useNavigate();
  const agents = useAgents();
  const dialog = useRef<HTMLDialogElement>(null);
  const [agent, setAgent] = useState('');
  const [message, setMessage] = useState('');
  const begin = useMutation({
    mutationFn: () => client.createSession({ agent: agent || (agents[0] ?? ''), message }),
    onSuccess: ({ sessionId }) => navigate({ to: '/sessions/$sessionId', params: { sessionId } }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    begin.mutate();
  };
  return (
    <>
      <button type="button" className="primary" onClick={() => dialog.current?.showModal()}>
        New session
      </button>
      <dialog ref={dialog} aria-labelledby="new-session">
        <form className="stack" onSubmit={submit}>
          <h2 id="new-session">New session</h2>
          <label htmlFor="agent">Agent</label>
          <select id="agent" value={agent} onChange={(event) => setAgent(event.target.value)}>
            {agents.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
          <label htmlFor="first">Message</label>
          <textarea
            id="first"
            rows={4}
            value={message}
            onChange={(event) => setMessage(event.target.value)}
          />
          <div className="row">
            <button
              type="submit"
              className="primary"
              disabled={message.trim() === '' || agents.length === 0 || begin.isPending}
            >
              Start
            </button>
            <button type="button" onClick={() => dialog.current?.close()}>
              Cancel
            </button>
          </div>
          <Failure error={begin.error} />
        </form>
      </dialog>
    </>
  );
}
