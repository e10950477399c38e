import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { useDeployment } from '../deployment.tsx';
import { StateBadge } from '../parts/badge.tsx';
import { Failure } from '../parts/failure.tsx';
import { plain } from '../parts/plain.ts';
import type { Side } from './use-side.ts';

interface PickerProps {
  readonly name: 'A' | 'B';
  readonly sessionId: string | undefined;
  readonly side: Side | undefined;
  readonly error: unknown;
  /** The other side, whose relatives are offered while this one is empty. */
  readonly other?: Side | undefined;
  readonly onSession: (sessionId: string | undefined) => void;
  readonly onRun: (runId: string | undefined) => void;
  /** Compares two runs of the other side's session. */
  readonly onRuns?: (runA: string, runB: string) => void;
}

/** The session and the run of a side. */
export function Picker(props: PickerProps) {
  const { name, sessionId, side, error, other, onSession, onRun, onRuns } = props;
  const id = useId();
  return (
    <section className="card" aria-label={`Side ${name}`}>
      <div className="row">
        <h2>{name}</h2>
        {side && (
          <Link to="/sessions/$sessionId" params={{ sessionId: side.session.sessionId }}>
            {plain(side.session.title ?? '') || side.session.agent}
          </Link>
        )}
        {side && <StateBadge state={side.session.state} />}
        <span className="grow" />
        {sessionId !== undefined && (
          <button type="button" className="quiet small" onClick={() => onSession(undefined)}>
            Change {name}
          </button>
        )}
      </div>
      <Failure error={error} />
      {sessionId === undefined && <SessionId name={name} onSession={onSession} />}
      {sessionId === undefined && other && (
        <Relatives of={other} onSession={onSession} {...(onRuns && { onRuns })} />
      )}
      {side && (
        <p className="dim">
          {side.session.agent} · <span className="mono">{side.session.sessionId}</span>
        </p>
      )}
      {side && side.runs.length > 1 && (
        <p className="row">
          <label htmlFor={id}>Run of {name}</label>
          <select
            id={id}
            value={side.runId ?? ''}
            onChange={({ target }) => onRun(target.value || undefined)}
          >
            <option value="">All {side.runs.length} runs</option>
            {side.runs.map((run, i) => (
              <option key={run} value={run}>
                Run {i + 1}
              </option>
            ))}
          </select>
        </p>
      )}
    </section>
  );
}

function SessionId({ name, onSession }: Pick<PickerProps, 'name' | 'onSession'>) {
  const [typed, setTyped] = useState('');
  return (
    <form
      className="row"
      onSubmit={(event) => {
        event.preventDefault();
        if (typed.trim() !== '') onSession(typed.trim());
      }}
    >
      <input
        aria-label={`Session id of ${name}`}
        placeholder="Session id"
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
      <button type="submit">Load</button>
    </form>
  );
}

interface RelativesProps extends Pick<PickerProps, 'onSession' | 'onRuns'> {
  readonly of: Side;
}

/** The sessions and runs that a session is most often compared with: its earlier run, its origin, its forks. */
function Relatives({ of: { session, runs }, onSession, onRuns }: RelativesProps) {
  const { client } = useDeployment();
  const { sessionId, forkOf } = session;
  const forks = useQuery({ queryKey: ['forks', sessionId], queryFn: () => client.forks(sessionId) });
  const [before, last] = runs.slice(-2);
  return (
    <ul className="plain-list stack">
      {onRuns && before !== undefined && last !== undefined && (
        <li>
          <button type="button" onClick={() => onRuns(before, last)}>
            Compare the last two runs
          </button>
        </li>
      )}
      {forkOf && (
        <li>
          <button type="button" onClick={() => onSession(forkOf.sessionId)}>
            Compare with its origin
          </button>
        </li>
      )}
      {(forks.data ?? []).map((fork) => (
        <li key={fork.sessionId}>
          <button type="button" onClick={() => onSession(fork.sessionId)}>
            Compare with fork {plain(fork.title)} <span className="mono dim">{fork.sessionId}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
