import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { Decision } from '../../../../shared/contract/ag-ui.ts';
import { optionsIn } from '../../../../shared/contract/form/options.ts';
import type { WaitInfo } from '../../../../shared/contract/http.ts';
import { useDeployment } from '../deployment.tsx';
import { Block } from '../parts/block.tsx';
import { Failure } from '../parts/failure.tsx';

interface WaitProps {
  readonly sessionId: string;
  readonly wait: WaitInfo;
}

/** A request to a person, with the full input of the call, and the form to decide it. */
export function WaitCard({ sessionId, wait }: WaitProps) {
  const { client } = useDeployment();
  const queries = useQueryClient();
  const noteId = useId();
  const [note, setNote] = useState('');
  const [left, setLeft] = useState<ReadonlySet<number>>(new Set());
  const whole = useQuery({
    queryKey: ['wait', sessionId, wait.id],
    queryFn: () => client.wait(sessionId, wait.id),
    // The input of an approval does not change, but whether it still reads as it was asked may.
    staleTime: 10_000,
  });
  const decide = useMutation({
    mutationFn: (decision: Decision) => client.decide(sessionId, decision),
    onSettled: () => {
      void queries.invalidateQueries({ queryKey: ['session', sessionId] });
      void queries.invalidateQueries({ queryKey: ['sessions'] });
    },
  });
  const details = whole.data;
  const said = note.trim() === '' ? {} : { note: note.trim() };
  const { id, kind, tool, changes = [] } = wait;
  const options = kind === 'question' ? [...new Set(optionsIn(wait.message))] : [];
  const wanted = changes.flatMap((_, i) => (left.has(i + 1) ? [] : [i + 1]));
  const approve = () =>
    decide.mutate({ id, approved: kind === 'plan' && left.size > 0 ? wanted : true, ...said });
  const toggle = (n: number) => {
    const next = new Set(left);
    if (!next.delete(n)) next.add(n);
    setLeft(next);
  };
  const busy = decide.isPending || decide.isSuccess;

  return (
    <section className="asks" aria-label={`Asked: ${tool}`}>
      <p className="who">{kind === 'question' ? 'The agent asks' : `The agent wants to run ${tool}`}</p>
      {whole.isPending ? <p className="dim">Loading …</p> : null}
      <Block text={details?.whole ?? wait.message} />
      {details?.isWhole === false && <p className="failure">Parts of this call cannot be shown.</p>}
      {details && !details.isAsAsked && (
        <p className="failure">
          The tool reads its arguments differently since it asked, so an approval would have no effect. Refuse
          it, and ask the agent to call the tool again.
        </p>
      )}
      {details && details.whole === undefined && kind !== 'question' && (
        <p className="failure">The tool no longer accepts these arguments.</p>
      )}
      {kind === 'plan' && changes.length > 1 && (
        <fieldset>
          <legend>Changes</legend>
          {changes.map((change, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: changes are identified by their numbers
            <label key={i}>
              <input type="checkbox" checked={!left.has(i + 1)} onChange={() => toggle(i + 1)} /> {i + 1}.{' '}
              {change}
            </label>
          ))}
        </fieldset>
      )}
      {options.length > 0 && (
        <fieldset className="row">
          <legend>Answers to choose from</legend>
          {options.map((option) => (
            <button
              key={option}
              type="button"
              disabled={busy}
              onClick={() => decide.mutate({ id, approved: true, note: option })}
            >
              {option}
            </button>
          ))}
        </fieldset>
      )}
      <label htmlFor={noteId}>{kind === 'question' ? 'Answer' : 'Note'}</label>
      <textarea id={noteId} rows={2} value={note} onChange={(event) => setNote(event.target.value)} />
      <div className="row">
        {kind === 'question' ? (
          <button
            type="button"
            className="primary"
            disabled={busy || note.trim() === ''}
            onClick={() => decide.mutate({ id, approved: true, ...said })}
          >
            Answer
          </button>
        ) : (
          <button
            type="button"
            className="primary"
            // A call cannot be approved before it is shown.
            disabled={
              busy ||
              (!details && kind === 'approval') ||
              (kind === 'plan' && wanted.length === 0 && changes.length > 0)
            }
            onClick={approve}
          >
            Approve
          </button>
        )}
        <button type="button" disabled={busy} onClick={() => decide.mutate({ id, approved: false, ...said })}>
          {kind === 'question' ? 'Do not answer' : 'Refuse'}
        </button>
        {wait.expiresAt && <span className="dim">until {new Date(wait.expiresAt).toLocaleString()}</span>}
      </div>
      <Failure error={decide.error ?? whole.error} />
    </section>
  );
}
