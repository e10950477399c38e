import { useNavigate } from '@tanstack/react-router';
import { Answers } from './answers.tsx';
import { Figures } from './figures.tsx';
import { FirstDifference } from './first-difference.tsx';
import { type Compared, pairsOf, sharedBelow } from './pairs.ts';
import { Picker } from './picker.tsx';
import { PairedSteps } from './steps.tsx';
import { type Side, useSide } from './use-side.ts';

/** Two sessions, or two runs, next to each other. */
export function ComparePage({ compared }: { readonly compared: Compared }) {
  const navigate = useNavigate();
  const left = useSide(compared.a, compared.runA);
  const right = useSide(compared.b, compared.runB);
  const go = (change: Compared) =>
    void navigate({ to: '/compare', search: { ...compared, ...change }, replace: true });
  return (
    <div className="compare">
      <h1>Compare</h1>
      <div className="two">
        <Picker
          name="A"
          {...{ sessionId: compared.a, side: left.side, error: left.error }}
          onSession={(a) => go({ a, runA: undefined })}
          onRun={(runA) => go({ runA })}
        />
        <Picker
          name="B"
          {...{ sessionId: compared.b, side: right.side, error: right.error }}
          other={left.side}
          onSession={(b) => go({ b, runB: undefined })}
          onRun={(runB) => go({ runB })}
          onRuns={(runA, runB) => go({ b: compared.a, runA, runB })}
        />
      </div>
      {compared.a === undefined && compared.b === undefined && (
        <p className="dim">Choose two sessions in the list of sessions, or enter their ids here.</p>
      )}
      {left.side && right.side && <Comparison left={left.side} right={right.side} />}
    </div>
  );
}

function Comparison({ left, right }: { readonly left: Side; readonly right: Side }) {
  const shared = sharedBelow(left.session, right.session);
  const pairs = pairsOf(left.steps, right.steps, shared);
  const sharedSteps = pairs.filter(({ isShared }) => isShared).length;
  return (
    <>
      {(left.isCut || right.isCut) && (
        <p role="status">
          Only the first {Math.max(left.steps.length, right.steps.length)} steps are compared.
        </p>
      )}
      <Figures left={left} right={right} sharedSteps={sharedSteps} />
      <FirstDifference left={left} right={right} pairs={pairs} />
      <Answers left={left} right={right} />
      <PairedSteps pairs={pairs} />
    </>
  );
}
