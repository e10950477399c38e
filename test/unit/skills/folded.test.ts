import { describe, expect, it } from 'vitest';
import { readSkills } from '../../../shared/agent/context/read-skills.ts';
import type { Slot } from '../../../shared/agent/session/slots.ts';

const skills = { catalog: '', list: [] };

/** Slots 2i and 2i+1: a call of the tool, and its result. */
const reads = (...inputs: readonly (readonly [input: object, outcome?: 'ok' | 'error'])[]): Slot[] =>
  inputs.flatMap(([input, outcome = 'ok'], i) => [
    {
      kind: 'model',
      n: 2 * i,
      runId: 'r',
      step: i,
      input: [],
      verdicts: [],
      reply: { stop: 'tools', content: [{ type: 'tool_use', id: `c${i}`, name: 'skill', input }] },
    } as never,
    {
      kind: 'tools',
      n: 2 * i + 1,
      results: [{ callId: `c${i}`, name: 'skill', outcome, content: 'x' }],
    } as never,
  ]);

const told = (
  slots: readonly Slot[],
  cut: { start: number; clearedBelow: number },
  before: string[] = [],
  pinned: object = { skills },
) => {
  const asked = { slots, session: { version: 99, contextStart: 0 }, pinned, waiting: [] };
  const head = [{ text: '', internal: { reason: 'fold_skills', skills: before } }];
  const [turn] = readSkills(asked as never, head, cut);
  return turn?.internal?.skills;
};

describe('after a compaction', () => {
  const all = reads(
    [{ name: 'a' }],
    [{ name: 'b' }],
    [{ name: 'a', path: 'x.md' }],
    [{ name: 'c' }, 'error'],
    [{ name: 'd' }],
  );

  it('the model is told which skills it had read and no longer sees', () => {
    expect(told(all, { start: 8, clearedBelow: 0 })).toEqual(['a', 'b']);
    expect(told(all, { start: 2, clearedBelow: 4 })).toEqual(['a', 'b']);
    expect(told(all, { start: 2, clearedBelow: 2 })).toEqual(['a']);
    expect(told(all, { start: 0, clearedBelow: 0 })).toBeUndefined();
  });

  it('those of earlier compactions are still named, unless they were read again', () => {
    expect(told(all, { start: 8, clearedBelow: 0 }, ['z', 'b', 'd'])).toEqual(['z', 'a', 'b']);
  });

  it('nothing is said in a session without skills, and no more than twenty are named', () => {
    expect(told(all, { start: 8, clearedBelow: 0 }, [], {})).toBeUndefined();
    const many = Array.from({ length: 50 }, (_, i) => `s${i}`);
    expect(told([], { start: 8, clearedBelow: 0 }, many)).toEqual(many.slice(-20));
  });
});
