import { useQuery } from '@tanstack/react-query';
import { useDeployment } from '../deployment.tsx';
import { Block, pretty } from '../parts/block.tsx';
import { Failure } from '../parts/failure.tsx';
import { count } from '../parts/words.ts';
import { kindWords } from '../steps/kinds.ts';
import { type Found, firstDifference } from './difference.ts';
import type { Pair } from './pairs.ts';
import type { Side } from './use-side.ts';

interface FirstDifferenceProps {
  readonly left: Side;
  readonly right: Side;
  readonly pairs: readonly Pair[];
}

/** The first request, reply, call or result that is not the same on both sides. */
export function FirstDifference({ left, right, pairs }: FirstDifferenceProps) {
  const { client } = useDeployment();
  const ids = { left: left.session.sessionId, right: right.session.sessionId };
  const slots = pairs.map(({ left: a, right: b }) => [a?.slots, b?.slots]);
  const found = useQuery({
    queryKey: ['difference', ids, slots],
    queryFn: () => firstDifference(pairs, (side, slot) => client.step(ids[side], slot)),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <section className="card" aria-label="First difference">
      <h2>First difference</h2>
      <Failure error={found.error} />
      {found.isPending && <p className="dim">Comparing …</p>}
      {found.data && <Shown found={found.data} pairs={pairs} />}
    </section>
  );
}

function Shown({ found, pairs }: { readonly found: Found; readonly pairs: readonly Pair[] }) {
  switch (found.kind) {
    case 'equal':
      return <p>There is none: requests, replies, calls and results are the same.</p>;
    case 'unknown':
      return (
        <p>
          There is none in the first {count(found.compared)} steps. Later steps were not compared in full.
        </p>
      );
    case 'different': {
      const { index, what, left, right } = found.difference;
      return (
        <>
          <p>
            {placeOf(pairs[index])}: {what}
          </p>
          <div className="two">
            <Text name="A" text={left} />
            <Text name="B" text={right} />
          </div>
        </>
      );
    }
    default:
      return found satisfies never;
  }
}

/** The step of each side, or of both if they have the same number. */
function placeOf(pair: Pair | undefined): string {
  const [left, right] = [pair?.left, pair?.right].map(
    (step) => step && `${kindWords[step.kind]} ${step.step}`,
  );
  if (left === undefined || right === undefined || left === right) return left ?? right ?? '';
  return `${left} of A, ${right} of B`;
}

const Text = ({ name, text }: { readonly name: string; readonly text: string | undefined }) => (
  <div>
    <p className="who">{name}</p>
    {text === undefined ? <p className="dim">Nothing</p> : <Block text={pretty(text)} />}
  </div>
);
