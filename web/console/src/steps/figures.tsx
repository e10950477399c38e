import type { ReactNode } from 'react';
import type { StepDetails, StepInfo } from '../../../client/index.ts';
import { Block } from '../parts/block.tsx';
import { count, duration, usd } from '../parts/words.ts';
import { phasesOf } from './phases.ts';

interface FiguresProps {
  readonly step: StepInfo;
  /** USD for a million tokens of each kind. */
  readonly price: StepDetails['price'];
}

/** A step's costs, and where its time went. */
export function Figures({ step, price }: FiguresProps) {
  const { model, stop, usage, costUsd, estimated, notInPrice, infraUsd, lost, fold, verdicts, startedAt } =
    step;
  return (
    <>
      <dl className="figures">
        {model && <Figure name="Model">{model}</Figure>}
        {stop && <Figure name="Stop reason">{stop}</Figure>}
        {costUsd !== undefined && (
          <Figure name="Cost">
            {usd(costUsd)}
            {estimated && ' (estimated)'}
          </Figure>
        )}
        {infraUsd !== undefined && <Figure name="Infrastructure">{usd(infraUsd)}</Figure>}
        {startedAt && <Figure name="Started">{new Date(startedAt).toLocaleString()}</Figure>}
        {lost && <Figure name="Lost attempts">{usd(lost.costUsd)}</Figure>}
        {phasesOf(step).map(({ name, words, ms }) => (
          <Figure key={name} name={words}>
            {duration(ms)}
          </Figure>
        ))}
        {notInPrice && <Figure name="Not in the cost">{notInPrice.join(', ').replaceAll('_', ' ')}</Figure>}
        {usage?.webSearches !== undefined && <Figure name="Web searches">{count(usage.webSearches)}</Figure>}
        {fold && (
          <Figure name="Compacted">
            {count(fold.tokens.before)} → {count(fold.tokens.after)} tokens, {fold.why}
          </Figure>
        )}
      </dl>
      {usage && <Tokens usage={usage} price={price} />}
      {verdicts.length > 0 && <Part name="Guards" text={JSON.stringify(verdicts, null, 2)} />}
    </>
  );
}

const kinds = [
  ['input', 'Input'],
  ['cacheRead', 'Cached input'],
  ['cacheWrite', 'Cache writes'],
  ['cacheWrite1h', 'Cache writes for an hour'],
  ['output', 'Output'],
] as const;

/** Tokens of each kind, and their cost at the model's price. */
const Tokens = ({
  usage,
  price,
}: { readonly usage: NonNullable<StepInfo['usage']> } & Pick<FiguresProps, 'price'>) => (
  <div className="wide">
    <table className="tokens">
      <thead>
        <tr>
          <th scope="col">Tokens</th>
          <th scope="col">Count</th>
          {price && <th scope="col">Per million</th>}
          {price && <th scope="col">Cost</th>}
        </tr>
      </thead>
      <tbody>
        {kinds
          .map(([kind, words]) => ({ kind, words, tokens: tokensOf(usage, kind), each: price?.[kind] ?? 0 }))
          .filter(({ tokens }) => tokens > 0)
          .map(({ kind, words, tokens, each }) => (
            <tr key={kind}>
              <th scope="row">{words}</th>
              <td>{count(tokens)}</td>
              {price && <td>{usd(each)}</td>}
              {price && <td>{usd((tokens * each) / 1e6)}</td>}
            </tr>
          ))}
      </tbody>
    </table>
  </div>
);

/** Writes for an hour are also counted in `cacheWrite`. */
function tokensOf(usage: NonNullable<StepInfo['usage']>, kind: (typeof kinds)[number][0]): number {
  const { cacheWrite1h = 0 } = usage;
  return kind === 'cacheWrite' ? usage.cacheWrite - cacheWrite1h : (usage[kind] ?? 0);
}

const Figure = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** A text of a step, with a heading. */
export const Part = ({ name, text }: { readonly name: string; readonly text: string }) => (
  <>
    <p className="who">{name}</p>
    <Block text={text} />
  </>
);
