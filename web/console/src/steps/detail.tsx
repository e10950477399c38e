import * as Collapsible from '@radix-ui/react-collapsible';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { StepDetails, StepInfo } from '../../../client/index.ts';
import { useDeployment } from '../deployment.tsx';
import { pretty } from '../parts/block.tsx';
import { Failure } from '../parts/failure.tsx';
import { duration } from '../parts/words.ts';
import { Figures, Part } from './figures.tsx';
import { Fork } from './fork.tsx';
import { Events, WholeRequest } from './more.tsx';

interface StepDetailProps {
  readonly sessionId: string;
  readonly step: StepInfo;
  /** The step's line, which is always visible. */
  readonly children: ReactNode;
}

/** A step that opens: the new input of its request, the full reply, and the results of its calls. */
export function StepDetail({ sessionId, step, children }: StepDetailProps) {
  const { client } = useDeployment();
  const [open, setOpen] = useState(false);
  const [slot] = step.slots;
  const details = useQuery({
    queryKey: ['step', sessionId, slot, step.slots.length],
    queryFn: () => client.step(sessionId, slot ?? 0),
    enabled: open && slot !== undefined,
    // A committed step does not change.
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Collapsible.Root open={open} onOpenChange={setOpen} className="step">
      <Collapsible.Trigger className="step-head">{children}</Collapsible.Trigger>
      <Collapsible.Content className="step-body">
        <Figures step={step} price={details.data?.price} />
        <Failure error={details.error} />
        {details.data && <Parts details={details.data} />}
        {slot !== undefined && <Fork sessionId={sessionId} step={step} />}
        {step.kind === 'model' && slot !== undefined && <WholeRequest sessionId={sessionId} slot={slot} />}
        {details.data?.after !== undefined && <Events sessionId={sessionId} after={details.data.after} />}
      </Collapsible.Content>
    </Collapsible.Root>
  );
}

function Parts({
  details: { input, content, reasoning, summary, results, cut, info },
}: {
  readonly details: StepDetails;
}) {
  return (
    <>
      {cut && <p className="failure">Long texts were cut to fit the response.</p>}
      {input.map(({ text, internal, eventId }, i) => (
        <Part
          key={eventId ?? `own-${i}`}
          name={internal ? `Added by the system: ${internal}` : 'New in the request'}
          text={text}
        />
      ))}
      {reasoning && <Part name="Reasoning" text={reasoning} />}
      {summary && <Part name="Summary" text={summary} />}
      {content.length > 0 && <Part name="Reply" text={JSON.stringify(content, null, 2)} />}
      {results.map(({ callId, name, outcome, content: text, durationMs, note }) => (
        <Part
          key={callId}
          name={`${name}: ${outcome}, ${duration(durationMs)}${decided(info, callId)}`}
          text={note ? `${pretty(text)}\n\n${note.message}` : pretty(text)}
        />
      ))}
    </>
  );
}

/** The person who decided on a call, if one did. */
function decided({ calls }: StepInfo, callId: string): string {
  const { decidedBy, decision = 'approved' } = calls.find(({ id }) => id === callId) ?? {};
  return decidedBy === undefined ? '' : `, ${decision} by ${decidedBy}`;
}
