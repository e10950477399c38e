import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { HttpClient, SessionRow } from '../../../client/index.ts';
import { sleep } from '../../../client/time.ts';
import { useDeployment } from '../deployment.tsx';
import { plain } from '../parts/plain.ts';
import { count } from '../parts/words.ts';
import { appliesTo, type BulkAction, type BulkProgress, runBulk } from './bulk.ts';
import { actionWords, sessionCount } from './bulk-words.ts';

interface BulkDialogProps {
  readonly action: BulkAction;
  readonly rows: readonly SessionRow[];
  /** Called for each session that the action succeeded for. */
  readonly onDone: (sessionId: string) => void;
  readonly onClose: () => void;
}

/** Sessions that the preview names. */
const NAMED = 8;

/** An action for many sessions: what it will do, how far it is, and what failed. */
export function BulkDialog({ action, rows, onDone, onClose }: BulkDialogProps) {
  const { client } = useDeployment();
  const queries = useQueryClient();
  const dialog = useRef<HTMLDialogElement>(null);
  const abort = useRef(new AbortController());
  const [phase, setPhase] = useState<'preview' | 'going' | 'ended'>('preview');
  const [progress, setProgress] = useState<BulkProgress>({ done: 0, failures: [] });
  useEffect(() => {
    dialog.current?.showModal();
    const { current } = abort;
    return () => current.abort();
  }, []);
  const fit = rows.filter(({ state }) => appliesTo(action, state));
  const words = actionWords[action];

  const go = async () => {
    setPhase('going');
    const act = actOf(client, action);
    await runBulk(fit, {
      act: async (sessionId) => {
        await act(sessionId);
        onDone(sessionId);
      },
      ...{ onProgress: setProgress, signal: abort.current.signal, pause: sleep },
    });
    setPhase('ended');
    await queries.invalidateQueries({ queryKey: ['sessions'] });
  };

  return (
    <dialog
      ref={dialog}
      className="bulk"
      aria-labelledby="bulk-title"
      onClose={onClose}
      onCancel={(event) => {
        // Escape must not hide an action that goes on.
        if (phase === 'going') event.preventDefault();
      }}
    >
      <div className="stack">
        <h2 id="bulk-title">
          {words.name} {sessionCount(fit.length)}
        </h2>
        {phase === 'preview' ? (
          <Preview action={action} fit={fit} unfit={rows.length - fit.length} />
        ) : (
          <Outcome {...{ action, progress }} all={fit.length} isEnded={phase === 'ended'} />
        )}
        <div className="row">
          {phase === 'preview' && (
            <>
              <button
                type="button"
                className={action === 'delete' ? 'danger' : 'primary'}
                disabled={fit.length === 0}
                onClick={() => void go()}
              >
                {words.name} {sessionCount(fit.length)}
                {action === 'delete' && ' permanently'}
              </button>
              <button type="button" onClick={() => dialog.current?.close()}>
                Cancel
              </button>
            </>
          )}
          {phase === 'going' && (
            <button type="button" onClick={() => abort.current.abort()}>
              Stop after the current ones
            </button>
          )}
          {phase === 'ended' && (
            <button type="button" className="primary" onClick={() => dialog.current?.close()}>
              Close
            </button>
          )}
        </div>
      </div>
    </dialog>
  );
}

interface PreviewProps {
  readonly action: BulkAction;
  readonly fit: readonly SessionRow[];
  readonly unfit: number;
}

function Preview({ action, fit, unfit }: PreviewProps) {
  const { effect, unfit: why } = actionWords[action];
  return (
    <>
      {fit.length > 0 && <p>{effect}</p>}
      <ul>
        {fit.slice(0, NAMED).map((row) => (
          <li key={row.sessionId}>{nameOf(row)}</li>
        ))}
        {fit.length > NAMED && <li>and {count(fit.length - NAMED)} more</li>}
      </ul>
      {unfit > 0 && (
        <p className="dim">
          {sessionCount(unfit)} of the selection {unfit === 1 ? 'is' : 'are'} left out: {why}.
        </p>
      )}
    </>
  );
}

interface OutcomeProps {
  readonly action: BulkAction;
  readonly progress: BulkProgress;
  readonly all: number;
  readonly isEnded: boolean;
}

function Outcome({ action, progress: { done, failures }, all, isEnded }: OutcomeProps) {
  const handled = done + failures.length;
  return (
    <>
      <progress aria-label="Progress" max={all} value={handled} />
      <p role="status">
        {count(done)} of {count(all)} {actionWords[action].done}
        {failures.length > 0 && `, ${count(failures.length)} failed`}
        {isEnded && handled < all && `, ${count(all - handled)} not begun`}.
      </p>
      {failures.length > 0 && (
        <section aria-label="Failed">
          <ul>
            {failures.map(({ row, error }) => (
              <li key={row.sessionId}>
                <Link to="/sessions/$sessionId" params={{ sessionId: row.sessionId }}>
                  {nameOf(row)}
                </Link>
                <span className="failure lines">
                  {error instanceof Error ? error.message : String(error)}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

const nameOf = ({ title, sessionId }: SessionRow): string => plain(title) || sessionId;

/** The request of an action. A retry has one key for all its attempts, so it starts one run. */
function actOf(client: HttpClient, action: BulkAction): (sessionId: string) => Promise<unknown> {
  const idempotencyKey = crypto.randomUUID();
  switch (action) {
    case 'retry':
      return (sessionId) => client.retry(sessionId, { idempotencyKey });
    case 'stop':
      return (sessionId) => client.cancel(sessionId);
    case 'delete':
      return (sessionId) => client.deleteSession(sessionId);
    default:
      return action satisfies never;
  }
}
