import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ProblemError, type StepRequest } from '../../../client/index.ts';
import { useDeployment } from '../deployment.tsx';
import { Failure } from '../parts/failure.tsx';
import { count } from '../parts/words.ts';
import { eventsOf } from './events.ts';
import { Part } from './figures.tsx';

interface MoreProps {
  readonly title: string;
  readonly children: ReactNode;
}

/** Content that is loaded only when it is opened. */
function More({ title, children }: MoreProps) {
  const [open, setOpen] = useState(false);
  return (
    <details className="more" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {open && children}
    </details>
  );
}

interface OfStep {
  readonly sessionId: string;
  readonly slot: number;
}

/** The full request to the model, for users who may see prompts. */
export const WholeRequest = (of: OfStep) => (
  <More title="Full request">
    <Request {...of} />
  </More>
);

function Request({ sessionId, slot }: OfStep) {
  const { client } = useDeployment();
  const { data, error, isPending } = useQuery({
    queryKey: ['request', sessionId, slot],
    queryFn: () => client.stepRequest(sessionId, slot),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error instanceof ProblemError && error.problem.status === 403)
    return <p className="dim">You need access to all sessions to see prompts.</p>;
  if (error) return <Failure error={error} />;
  if (isPending) return <p className="dim">Loading …</p>;
  return <Asked request={data} />;
}

const Asked = ({
  request: { system, tools, messages, cut, ...settings },
}: {
  readonly request: StepRequest;
}) => (
  <>
    {cut && <p className="failure">Long texts were cut to fit the response.</p>}
    <Part name="Settings" text={JSON.stringify(settings, null, 2)} />
    <Part name="System" text={system} />
    <Part name={`Tools: ${count(tools.length)}`} text={JSON.stringify(tools, null, 2)} />
    <Part name={`Messages: ${count(messages.length)}`} text={JSON.stringify(messages, null, 2)} />
  </>
);

/** The events that clients received from the step. */
export const Events = (of: Omit<OfStep, 'slot'> & { readonly after: number }) => (
  <More title="Events">
    <Told {...of} />
  </More>
);

function Told({ sessionId, after }: { readonly sessionId: string; readonly after: number }) {
  const { client } = useDeployment();
  const { data, error, isPending } = useQuery({
    queryKey: ['events', sessionId, after],
    queryFn: async () => eventsOf((await client.events(sessionId, after)).frames),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error) return <Failure error={error} />;
  if (isPending) return <p className="dim">Loading …</p>;
  if (data.length === 0) return <p className="dim">Events are kept for seven days.</p>;
  return (
    <Part
      name={`Events: ${count(data.length)}`}
      text={data.map((event) => JSON.stringify(event)).join('\n')}
    />
  );
}
