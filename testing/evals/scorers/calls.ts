/** Scorers of an agent's actions: which tools it calls, with which input, in which order. */

import { canonicalJson } from '../../../shared/agent/plain/hash.ts';
import type { RehearsedCall } from '../../rehearsal.ts';
import { type Score, type Scorer, share } from '../scorer.ts';

/** An expected call: the tool's name, with the parts of its input that matter. */
export type ExpectedCall = string | readonly [name: string, input: Readonly<Record<string, unknown>>];

/**
 * `in_order`: these calls come in this order, and others may come in between. `any_order`: each comes at some time.
 * `exact`: these, in this order, and no others.
 */
export type TrajectoryMode = 'in_order' | 'any_order' | 'exact';

/**
 * The agent makes these calls, and they succeed. Only the named parts of an input are compared.
 *
 * @example
 * trajectory(['get_issue', ['add_labels', { labels: ['crash'] }]])
 */
export const trajectory = (wanted: readonly ExpectedCall[], mode: TrajectoryMode = 'in_order'): Scorer => ({
  name: 'trajectory',
  tools: wanted.map(nameOf),
  score({ calls }) {
    const made = calls.filter(({ outcome }) => outcome === 'ok');
    const missing = mode === 'any_order' ? absent(wanted, made) : outOfOrder(wanted, made);
    const scored = share(
      wanted.length,
      missing.map((one) => `Expected ${shown(one)}.`),
    );
    const more = mode === 'exact' ? made.length - (wanted.length - missing.length) : 0;
    return withCalls(more > 0 ? tooMany(scored, more, wanted.length) : scored, calls);
  },
});

/** The agent never asks for any of these tools, even if the call would be refused. */
export const neverCalls = (...tools: readonly string[]): Scorer => ({
  name: 'never calls',
  tools,
  score: ({ calls }) =>
    share(
      tools.length,
      tools.filter((tool) => calls.some(({ name }) => name === tool)).map((tool) => `It called ${tool}.`),
    ),
});

const nameOf = (wanted: ExpectedCall): string => (typeof wanted === 'string' ? wanted : wanted[0]);
const shown = (wanted: ExpectedCall): string =>
  typeof wanted === 'string' ? wanted : `${wanted[0]} with ${JSON.stringify(wanted[1])}`;

/** Expected calls that are missing; each actual call matches at most one expected call. */
function absent(wanted: readonly ExpectedCall[], made: readonly RehearsedCall[]): ExpectedCall[] {
  const left = [...made];
  return wanted.filter((one) => {
    const at = left.findIndex((call) => isSame(one, call));
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** Expected calls that do not come after the expected call before them. */
function outOfOrder(wanted: readonly ExpectedCall[], made: readonly RehearsedCall[]): ExpectedCall[] {
  let from = 0;
  return wanted.filter((one) => {
    const at = made.findIndex((call, i) => i >= from && isSame(one, call));
    if (at >= 0) from = at + 1;
    return at < 0;
  });
}

function isSame(wanted: ExpectedCall, { name, input }: RehearsedCall): boolean {
  if (nameOf(wanted) !== name) return false;
  return typeof wanted === 'string' || matches(wanted[1], input);
}

/** Whether all expected parts are there; lists and values are compared whole. */
function matches(wanted: unknown, given: unknown): boolean {
  if (typeof wanted !== 'object' || wanted === null || Array.isArray(wanted))
    return given !== undefined && canonicalJson(wanted) === canonicalJson(given);
  if (typeof given !== 'object' || given === null) return false;
  return Object.entries(wanted).every(([key, value]) =>
    matches(value, (given as Record<string, unknown>)[key]),
  );
}

const tooMany = ({ why, score }: Score, more: number, of: number): Score => ({
  score: score * (of / (of + more)),
  passed: false,
  why: [why, `${more} more ${more === 1 ? 'call was' : 'calls were'} made than expected.`]
    .filter(Boolean)
    .join(' '),
});

function withCalls(score: Score, calls: readonly RehearsedCall[]): Score {
  if (score.passed) return score;
  const made = calls.map(({ name, outcome }) => (outcome === 'ok' ? name : `${name} (${outcome})`));
  return { ...score, why: `${score.why} It called ${made.join(', ') || 'nothing'}.` };
}
