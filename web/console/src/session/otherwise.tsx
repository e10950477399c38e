import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { ProblemError } from '../../../client/index.ts';
import { useDeployment } from '../deployment.tsx';
import { Failure } from '../parts/failure.tsx';

/** Another prompt or model to try; `undefined` where the session's own stays. */
export interface Otherwise {
  readonly system: string | undefined;
  readonly model: string | undefined;
}

interface OtherwiseProps {
  readonly sessionId: string;
  readonly value: Otherwise;
  readonly onChange: (value: Otherwise) => void;
}

/** Fields for another prompt and model, filled with those of the session once they are opened. */
export function TryOtherwise(props: OtherwiseProps) {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Try otherwise: another prompt or model</summary>
      {open && <Fields {...props} />}
    </details>
  );
}

function Fields({ sessionId, value, onChange }: OtherwiseProps) {
  const { client } = useDeployment();
  const id = useId();
  const { data, error, isPending } = useQuery({
    queryKey: ['first-request', sessionId],
    async queryFn() {
      const { steps } = await client.steps(sessionId, { limit: 1, order: 'newest' });
      const slot = steps[0]?.slots[0];
      return slot === undefined ? null : client.stepRequest(sessionId, slot);
    },
  });
  if (error instanceof ProblemError && error.problem.status === 403)
    return <p className="dim">You need access to all sessions to try another prompt.</p>;
  if (error) return <Failure error={error} />;
  if (isPending) return <p className="dim">Loading …</p>;
  if (!data || data.cut) return <p className="dim">The prompt of this session cannot be shown whole.</p>;
  const changed = (given: string, own: string) => (given === own ? undefined : given);
  return (
    <div className="stack">
      <label htmlFor={`${id}m`}>Model</label>
      <input
        id={`${id}m`}
        value={value.model ?? data.model}
        onChange={({ target }) => onChange({ ...value, model: changed(target.value, data.model) })}
      />
      <label htmlFor={`${id}s`}>System prompt</label>
      <textarea
        id={`${id}s`}
        rows={8}
        value={value.system ?? data.system}
        onChange={({ target }) => onChange({ ...value, system: changed(target.value, data.system) })}
      />
      <p className="dim">The fork keeps them. This session and the agent stay as they are.</p>
    </div>
  );
}
