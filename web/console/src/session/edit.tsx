import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useId, useRef, useState } from 'react';
import { useDeployment } from '../deployment.tsx';
import { Failure } from '../parts/failure.tsx';
import { type Otherwise, TryOtherwise } from './otherwise.tsx';

interface EditProps {
  readonly sessionId: string;
  readonly messageId: string;
  /** The original text. */
  readonly text: string;
}

const asItIs: Otherwise = { system: undefined, model: undefined };

/**
 * Sends an edited message in a fork of the session; the original session stays as it is. With another prompt or model the two are
 * compared.
 */
export function Edit({ sessionId, messageId, text }: EditProps) {
  const { client } = useDeployment();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const id = useId();
  const [words, setWords] = useState<string>();
  const [otherwise, setOtherwise] = useState(asItIs);
  // An empty field changes nothing.
  const instead = {
    ...(otherwise.system && { system: otherwise.system }),
    ...(otherwise.model && { model: otherwise.model }),
  };
  const isOther = Object.keys(instead).length > 0;
  // The same words sent again after a failure count as the same fork.
  const key = useRef('');
  const edit = useMutation({
    mutationFn: (said: string) =>
      client.edit(sessionId, messageId, said, {
        idempotencyKey: key.current,
        ...(isOther && { instead }),
      }),
    onSuccess: (fork) => {
      void queries.invalidateQueries({ queryKey: ['forks', sessionId] });
      return isOther
        ? navigate({ to: '/compare', search: { a: sessionId, b: fork.sessionId } })
        : navigate({ to: '/sessions/$sessionId', params: { sessionId: fork.sessionId } });
    },
  });
  const set = (said: string | undefined) => {
    key.current = crypto.randomUUID();
    setWords(said);
  };
  const change = (to: Otherwise) => {
    key.current = crypto.randomUUID();
    setOtherwise(to);
  };
  if (words === undefined)
    return (
      <button type="button" className="quiet small" onClick={() => set(text)}>
        Edit
      </button>
    );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    edit.mutate(words);
  };
  return (
    <form className="stack" onSubmit={submit}>
      <label htmlFor={id}>Edit the message in a fork of this session</label>
      <textarea id={id} rows={3} value={words} onChange={(event) => set(event.target.value)} />
      <TryOtherwise sessionId={sessionId} value={otherwise} onChange={change} />
      <div className="row">
        <button type="submit" className="primary" disabled={words.trim() === '' || edit.isPending}>
          Save
        </button>
        <button type="button" onClick={() => set(undefined)}>
          Cancel
        </button>
      </div>
      <Failure error={edit.error} />
    </form>
  );
}
