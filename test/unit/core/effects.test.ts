import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { Approvals } from '../../../shared/agent/config/approvals.ts';
import { type EffectRules, effectNames, effects } from '../../../shared/agent/config/effects.ts';
import { defineTool } from '../../../shared/agent/define/tool.ts';

describe('the table of effects', () => {
  it('accepts no effect that leaves a rule open', () => {
    const some = { fence: 'look', rerun: false, overlap: 'never' } as const;
    const whole = { ...some, cache: false, changes: true, level: 'safe' } as const;
    const five = { ...effects, lend: whole } satisfies Record<string, EffectRules>;
    expect(Object.keys(five)).toHaveLength(effectNames.length + 1);

    const { fence: _fence, ...noFence } = whole;
    const { rerun: _rerun, ...noRerun } = whole;
    const { overlap: _overlap, ...noOverlap } = whole;
    const { cache: _cache, ...noCache } = whole;
    const { changes: _changes, ...noChanges } = whole;
    const { level: _level, ...noLevel } = whole;
    // @ts-expect-error: whether its start goes on record is missing
    ({ ...effects, lend: noFence }) satisfies Record<string, EffectRules>;
    // @ts-expect-error: whether a call that may have begun runs again is missing
    ({ ...effects, lend: noRerun }) satisfies Record<string, EffectRules>;
    // @ts-expect-error: whether its calls run beside others is missing
    ({ ...effects, lend: noOverlap }) satisfies Record<string, EffectRules>;
    // @ts-expect-error: whether its results may be used again is missing
    ({ ...effects, lend: noCache }) satisfies Record<string, EffectRules>;
    // @ts-expect-error: whether it changes anything is missing
    ({ ...effects, lend: noChanges }) satisfies Record<string, EffectRules>;
    // @ts-expect-error: how dangerous its calls are is missing
    ({ ...effects, lend: noLevel }) satisfies Record<string, EffectRules>;
  });

  it('is where tools and approvals take their effects from', () => {
    const spec = { name: 'lend', description: 'Lends.', input: z.object({}), run: () => 'lent' };
    for (const effect of effectNames) expect(defineTool({ ...spec, effect }).effect).toBe(effect);
    // @ts-expect-error: no such effect
    expect(() => defineTool({ ...spec, effect: 'lend' })).toThrow(effectNames.join('"|"'));
    expect(Approvals.parse({ effects: effectNames }).effects).toEqual(effectNames);
  });

  it('lets no call that changes something overlap with related calls, reuse results or run without a look at HEAD', () => {
    const changing = Object.values(effects).filter(({ changes }) => changes);
    expect(changing.map(({ overlap }) => overlap)).not.toContain('always');
    expect(changing.map(({ cache }) => cache)).not.toContain(true);
    expect(changing.map(({ fence }) => fence)).not.toContain('nothing');
  });

  it('records the start of every call that must not run again', () => {
    const rules: EffectRules[] = Object.values(effects);
    expect(rules.filter(({ rerun, fence }) => !rerun && fence !== 'record')).toEqual([]);
  });

  it('lets no call with a recorded start overlap: a group has one record', () => {
    const rules: EffectRules[] = Object.values(effects);
    expect(rules.filter(({ fence, overlap }) => fence === 'record' && overlap !== 'never')).toEqual([]);
  });
});
