import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';

/** Finds a session by its id. */
export function StartPage() {
  const navigate = useNavigate();
  const [sessionId, setSessionId] = useState('');
  const open = (event: FormEvent) => {
    event.preventDefault();
    void navigate({ to: '/sessions/$sessionId', params: { sessionId: sessionId.trim() } });
  };
  return (
    <section>
      <h1>Sessions</h1>
      <form onSubmit={open} className="row">
        <label htmlFor="session">Session</label>
        <input id="session" value={sessionId} onChange={(event) => setSessionId(event.target.value)} />
        <button type="submit" disabled={sessionId.trim() === ''}>
          Open
        </button>
      </form>
    </section>
  );
}
