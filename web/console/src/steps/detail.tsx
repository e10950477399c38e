import * as Collapsible from '@radix-ui/react-collapsible';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { StepDetails, StepInfo } from '../../../client/index.ts';
import { useDeployment } from '../deployment.tsx';
import { Block, pretty } from '../parts/block.tsx';
import { Failure } from '../parts/failure.tsx';
import { count, duration, usd } from '../parts/words.ts';
import { phasesOf } from './phases.ts';

interface StepDetailProps {
  readonly sessionId: string;
  readonly step: StepInfo;
  /** What is seen of it while it is closed. */
  readonly children: ReactNode;
}

/** A step that opens: what was new in its request, the reply as it came, and what its calls came to. */
export function StepDetail({ sessionId, step, children }: StepDetailProps) {
  const { client } = useDeployment();
  const [open, setOpen] = useState(false);
  const [slot] = step.slots;
  const details = useQuery({
    queryKey: ['step', sessionId, slot, step.slots.length],
    queryFn: () => client.step(sessionId, slot ?? 0),
    enabled: open && slot !== undefined,
    // What is committed does not change.
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Collapsible.Root open={open} onOpenChange={setOpen} className="step">
      <Collapsible.Trigger className="step-head">{children}</Collapsible.Trigger>
      <Collapsible.Content className="step-body">
        <Figures step={step} />
        <Failure error={details.error} />
        {details.data && <Parts details={details.data} />}
      </Collapsible.Content>
    </Collapsible.Root>
  );
}

/** Why it cost what it did, and what its time went to. */
function Figures({ step }: { readonly step: StepInfo }) {
  const { model, stop, usage, costUsd, estimated, infraUsd, lost, fold, verdicts, startedAt, times } = step;
  return (
    <>
      <dl className="figures">
        {model && <Figure name="Model">{model}</Figure>}
        {stop && <Figure name="Ended by">{stop}</Figure>}
        {costUsd !== undefined && (
          <Figure name="Cost">
            {usd(costUsd)}
            {estimated && ' (estimated)'}
          </Figure>
        )}
        {usage && (
          <Figure name="Tokens in, cached, written to cache, out">
            {[usage.input, usage.cacheRead, usage.cacheWrite, usage.output].map(count).join(', ')}
          </Figure>
        )}
        {infraUsd !== undefined && <Figure name="Infrastructure">{usd(infraUsd)}</Figure>}
        {startedAt && <Figure name="Claimed at">{new Date(startedAt).toLocaleString()}</Figure>}
        {times.firstTokenMs !== undefined && (
          <Figure name="until the first word">{duration(times.firstTokenMs)}</Figure>
        )}
        {lost && <Figure name="Charged for nothing">{usd(lost.costUsd)}</Figure>}
        {phasesOf(step).map(({ name, words, ms }) => (
          <Figure key={name} name={words}>
            {duration(ms)}
          </Figure>
        ))}
        {fold && (
          <Figure name="Folded">
            {count(fold.tokens.before)} → {count(fold.tokens.after)} tokens, {fold.why}
          </Figure>
        )}
      </dl>
      {verdicts.length > 0 && <Part name="Guards" text={JSON.stringify(verdicts, null, 2)} />}
    </>
  );
}

const Figure = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

function Parts({
  details: { input, content, reasoning, summary, results, cut, info },
}: {
  readonly details: StepDetails;
}) {
  return (
    <>
      {cut && <p className="failure">Texts were cut: no answer holds them.</p>}
      {input.map(({ text, internal, eventId }, i) => (
        <Part
          key={eventId ?? `own-${i}`}
          name={internal ? `Said by the system: ${internal}` : 'New in the request'}
          text={text}
        />
      ))}
      {reasoning && <Part name="Reasoning" text={reasoning} />}
      {summary && <Part name="Summary" text={summary} />}
      {content.length > 0 && <Part name="Reply, as it came" text={JSON.stringify(content, null, 2)} />}
      {results.map(({ callId, name, outcome, content: text, durationMs, note }) => {
        const call = info.calls.find(({ id }) => id === callId);
        const by = call?.decidedBy ? `, approved by ${call.decidedBy}` : '';
        return (
          <Part
            key={callId}
            name={`${name}: ${outcome}, ${duration(durationMs)}${by}`}
            text={note ? `${pretty(text)}\n\n${note.message}` : pretty(text)}
          />
        );
      })}
    </>
  );
}

const Part = ({ name, text }: { readonly name: string; readonly text: string }) => (
  <>
    <p className="who">{name}</p>
    <Block text={text} />
  </>
);
