import { useState } from 'react';
import type { StepInfo } from '../../../client/index.ts';
import { count } from '../parts/words.ts';
import { Legend } from '../steps/legend.tsx';
import { totalMs } from '../steps/phases.ts';
import { StepHead } from '../steps/step-head.tsx';
import type { Pair } from './pairs.ts';

/** Pairs that are drawn at first, and with each request for more. */
const BATCH = 100;

/** The steps of both sides, paired by their order. Bars have one scale. */
export function PairedSteps({ pairs }: { readonly pairs: readonly Pair[] }) {
  const [most, setMost] = useState(BATCH);
  const all = pairs.flatMap(({ left, right }) => [left, right]).filter((step) => step !== undefined);
  const longest = Math.max(1, ...all.map(totalMs));
  const rows = withCosts(pairs);
  return (
    <section className="card" aria-label="Steps of both">
      <div className="row">
        <h2>Steps</h2>
        <Legend />
      </div>
      <ol className="plain-list pairs">
        {rows.slice(0, most).map(({ pair: { left, right, isShared }, soFar }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a pair is its place
          <li key={i} className="two">
            {isShared && left ? (
              <div className="shared">
                <span className="dim">Shared by both</span>
                <StepHead step={left} longest={longest} soFar={soFar.left} rest={undefined} />
              </div>
            ) : (
              <>
                <Half name="A" step={left} longest={longest} soFar={soFar.left} />
                <Half name="B" step={right} longest={longest} soFar={soFar.right} />
              </>
            )}
          </li>
        ))}
      </ol>
      {rows.length > most && (
        <button type="button" onClick={() => setMost(most + BATCH)}>
          Show {count(Math.min(BATCH, rows.length - most))} more
        </button>
      )}
    </section>
  );
}

interface HalfProps {
  readonly name: 'A' | 'B';
  readonly step: StepInfo | undefined;
  readonly longest: number;
  readonly soFar: number;
}

const Half = ({ name, step, longest, soFar }: HalfProps) => (
  <div>
    <span className="hidden">{name}: </span>
    {step ? (
      <StepHead step={step} longest={longest} soFar={soFar} rest={undefined} />
    ) : (
      <span className="dim">No step</span>
    )}
  </div>
);

/** Pairs with the cost of each side after them, in USD. */
function withCosts(pairs: readonly Pair[]) {
  let [left, right] = [0, 0];
  return pairs.map((pair) => {
    left += costOf(pair.left);
    right += costOf(pair.right);
    return { pair, soFar: { left, right } };
  });
}

const costOf = (step: StepInfo | undefined): number => (step?.costUsd ?? 0) + (step?.lost?.costUsd ?? 0);
