import { describe, expect, test } from 'vitest';
import { type PresetName, presets } from '../../../shared/agent/config/presets.ts';
import { type AgentDefinition, defineAgent } from '../../../shared/agent/define/agent.ts';
import { pin } from '../../../shared/agent/define/pin.ts';
import { nearest } from '../../../shared/agent/plain/nearest.ts';
import { tool } from '../step/reading.fixture.ts';

const minimal = { name: 'triage', version: '1', model: { name: 'm' }, system: 'Label issues.' };
const define = (more: Partial<AgentDefinition>) => defineAgent({ ...minimal, ...more });
const untyped = (more: object) => () => define(more as Partial<AgentDefinition>);
const names = Object.keys(presets) as PresetName[];

describe('presets', () => {
  test.each(names)('the preset %s is data, and survives JSON', (name) => {
    expect(JSON.parse(JSON.stringify(presets[name]))).toEqual(presets[name]);
  });

  test.each(names)(
    'the preset %s makes the same round trip: name, resolved configuration, definition',
    (name) => {
      const { guardrails, limits, approvals } = define({ guardrails: name });
      expect(define({ guardrails, limits, approvals })).toEqual(define({ guardrails: { preset: name } }));
      expect(pin(define({ guardrails: name }), undefined)).toMatchObject({ guardrails, limits, approvals });
      expect(JSON.parse(JSON.stringify(guardrails))).toEqual(guardrails);
    },
  );

  test.each(names)('every key of the preset %s takes effect', (name) => {
    const agent = define({ guardrails: name });
    expect(agent.guardrails).toMatchObject(presets[name].guardrails);
    expect(agent.limits).toMatchObject(presets[name].limits);
  });

  test('keys of a definition override those of its preset, one by one', () => {
    const agent = define({
      guardrails: { preset: 'aar', loop: { stepRepeat: { limit: 9 } } },
      limits: { maxSteps: 7 },
    });
    expect(agent.guardrails.loop.stepRepeat).toEqual({
      limit: 9,
      resultAware: 'never',
      truncateValuesAt: 200,
    });
    expect(agent.limits).toMatchObject({ maxSteps: 7, scope: 'session' });
  });

  test.each(names)('the preset %s does not change who is asked', (name) => {
    expect(define({ guardrails: name }).approvals).toEqual(define({}).approvals);
    expect(define({ guardrails: name }).approvals.effects).toEqual(['once']);
    const asked = define({ guardrails: name, approvals: { expireAfterSeconds: 60 } }).approvals;
    expect(asked).toMatchObject({ effects: ['once'], expireAfterSeconds: 60 });
  });

  test('an agent opts in to approval by tool only, and that option has a name', () => {
    expect(define({ approvals: 'by_tool' }).approvals).toEqual(
      define({ approvals: { effects: [] } }).approvals,
    );
    expect(() => define({ approvals: 'by_hand' as never })).toThrow(/approvals/);
  });

  test('a key set to undefined is not set', () => {
    expect(define({ guardrails: { preset: 'aar', loop: undefined } }).guardrails.loop.stepRepeat.limit).toBe(
      3,
    );
  });

  test('there is no default preset', () => {
    expect(define({})).toEqual(define({ guardrails: 'default' }));
  });
});

describe('A21: an unknown key is refused, and the nearest known one is named', () => {
  test.each([
    { what: 'a preset', definition: { guardrails: 'hammr' }, says: 'did you mean "hamr"' },
    { what: 'a preset key', definition: { guardrails: { preset: 'atto' } }, says: 'attocode' },
    { what: 'a mechanism', definition: { guardrails: { lop: {} } }, says: 'did you mean "loop"' },
    {
      what: 'a nested key',
      definition: { guardrails: { loop: { stepRepeat: { limits: 3 } } } },
      says: 'guardrails.loop.stepRepeat.limits: did you mean "limit"',
    },
    { what: 'snake case', definition: { limits: { max_steps: 3 } }, says: 'did you mean "maxSteps"' },
    {
      what: 'a key of one tool',
      definition: { guardrails: { loop: { counts: { perTool: { get: { wran: 1 } } } } } },
      says: 'did you mean "warn"',
    },
    { what: 'the definition', definition: { guardrail: {} }, says: 'did you mean "guardrails"' },
    { what: 'a preset that is on every object', definition: { guardrails: 'toString' }, says: 'no preset' },
    { what: 'a list', definition: { guardrails: [] }, says: 'guardrails' },
  ])('A21: $what', ({ definition, says }) => {
    expect(untyped(definition)).toThrow(says);
  });

  test.each([
    { warn: 5, block: 5, halt: 12 },
    { warn: 5, block: 8, halt: 7 },
    { warn: 5, block: 0, halt: 5 },
  ])('L9: thresholds must rise: $warn, $block, $halt', (idempotent) => {
    expect(untyped({ guardrails: { loop: { counts: { idempotent } } } })).toThrow('must rise');
    expect(untyped({ guardrails: { loop: { counts: { perTool: { get: idempotent } } } } })).toThrow(
      'must rise',
    );
  });

  test.each<[string, object]>([
    ['guardrails.loop.noProgress', { noProgress: { halt: 3 } }],
    ['guardrails.loop.callStreak.read', { callStreak: { read: { limit: 3 } } }],
    ['guardrails.loop.callStreak.escalateAt', { callStreak: { escalateAt: [6, 4] } }],
    ['guardrails.loop.noMutation.levels', { noMutation: { levels: [8, 8, 10] } }],
    ['guardrails.loop.cycles', { cycles: { advise: 7 } }],
    ['guardrails.loop.cycles.poll', { cycles: { poll: { halt: 20 } } }],
    ['guardrails.loop.counts.mutating', { counts: { mutating: { halt: 4 } } }],
    ['guardrails.loop.counts.perTool.get', { counts: { perTool: { get: { halt: 7 } } } }],
    ['guardrails.loop.counts.perTool.make', { counts: { perTool: { make: { block: 3 } } } }],
  ])('L9: given values, with defaults for the rest, must rise: %s', (path, loop) => {
    expect(untyped({ guardrails: { loop } })).toThrow('must rise');
    expect(untyped({ guardrails: { loop } })).toThrow(path);
  });

  test('L9: values that do not rise are named, also defaults', () => {
    expect(untyped({ guardrails: { loop: { noProgress: { halt: 3 } } } })).toThrow(
      'must rise: warn < halt (0 = off), but is 4, 3',
    );
    expect(untyped({ guardrails: { loop: { counts: { perTool: { get: { halt: 7 } } } } } })).toThrow(
      'idempotent tools it is 5, 8, 7',
    );
  });

  test('L9: a tool that declares its effect has the thresholds of that kind', () => {
    const loop = { counts: { perTool: { get: { halt: 7 } } } };
    const get = tool('get', () => 'got', { effect: 'once' });
    expect(
      untyped({ guardrails: { loop: { counts: { perTool: { get: { halt: 8 } } } } }, tools: [get] }),
    ).not.toThrow();
    expect(untyped({ guardrails: { loop } })).toThrow('must rise');
  });

  test('L7, L9: if loop guards are off, so is the time of a preset, but not that of the definition', () => {
    const secondsOf = (guardrails: object) =>
      define({ guardrails } as Partial<AgentDefinition>).guardrails.time.activeTurnSeconds;
    expect(secondsOf({ preset: 'praisonai' })).toBe(120);
    expect(secondsOf({ preset: 'praisonai', loop: { enabled: false } })).toBe(0);
    expect(secondsOf({ preset: 'praisonai', loop: { enabled: true } })).toBe(120);
    expect(
      secondsOf({ preset: 'praisonai', loop: { enabled: false }, time: { activeTurnSeconds: 60 } }),
    ).toBe(60);
    expect(secondsOf({ loop: { enabled: false }, time: { activeTurnSeconds: 60 } })).toBe(60);
  });

  test('L9: disabled thresholds need not rise', () => {
    expect(
      untyped({ guardrails: { loop: { counts: { idempotent: { warn: 0, block: 8, halt: 0 } } } } }),
    ).not.toThrow();
  });

  test('a word that resembles nothing has no nearest', () => {
    expect(nearest('zzzzzz', ['loop', 'reads'])).toBeUndefined();
  });
});
