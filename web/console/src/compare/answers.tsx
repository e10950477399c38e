import { useQuery } from '@tanstack/react-query';
import { useDeployment } from '../deployment.tsx';
import { Failure } from '../parts/failure.tsx';
import { SafeMarkdown } from '../parts/markdown.tsx';
import { answerOf, lastReply } from './answer.ts';
import type { Side } from './use-side.ts';

/** The last reply of each side. */
export const Answers = ({ left, right }: { readonly left: Side; readonly right: Side }) => (
  <section className="card" aria-label="Last replies">
    <h2>Last replies</h2>
    <div className="two">
      <Answer name="A" side={left} />
      <Answer name="B" side={right} />
    </div>
  </section>
);

function Answer({ name, side: { session, steps } }: { readonly name: string; readonly side: Side }) {
  const { client } = useDeployment();
  const slot = lastReply(steps)?.slots[0];
  const details = useQuery({
    queryKey: ['answer', session.sessionId, slot],
    queryFn: () => client.step(session.sessionId, slot ?? 0),
    enabled: slot !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <article className="message">
      <p className="who">{name}</p>
      <Failure error={details.error} />
      {slot === undefined && <p className="dim">No reply yet.</p>}
      {details.data && <SafeMarkdown text={answerOf(details.data)} />}
    </article>
  );
}
