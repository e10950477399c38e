import { describe, expect, test } from 'vitest';
import { withStored } from '../../../shared/agent/config/resolve.ts';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { pin } from '../../../shared/agent/define/pin.ts';
import { defineTool } from '../../../shared/agent/define/tool.ts';
import { calls, says } from '../../../testing/scripted-model.ts';
import { tool } from '../step/reading.fixture.ts';
import { type Guardrails, loop, looped, read, times, toldIn } from './loops.fixture.ts';

const get = tool('get', () => 'got');
const fetch = tool('fetch', () => 'fetched');
const tools = [get, fetch];
const inTurn = (n: number) =>
  Array.from({ length: n }, (_, i) => calls([i % 2 ? 'fetch' : 'get', { id: 1 }]));
const limits = { maxSteps: 200 };

describe('cycles', () => {
  test('A, B: advised in the third round, refused from the sixth on, ended in the tenth, for good', async () => {
    const { requests, results, end, codes, verdicts } = await looped({ tools, limits }, ...inTurn(40));
    expect(toldIn(requests, 5)).toEqual([]);
    expect(toldIn(requests, 6)).toEqual([expect.stringContaining('asked for get 3 times')]);
    expect(results.findIndex(({ outcome }) => outcome === 'refused')).toBe(10);
    expect(results.slice(10).every(({ outcome }) => outcome === 'refused')).toBe(true);
    expect(end).toEqual({ state: 'error', reason: 'loop_halt', steps: 19 });
    expect(codes.filter((code) => code === 'nudge cycle')).toHaveLength(1);
    expect(verdicts.at(-1)).toMatchObject({ guard: 'cycles', kind: 'halt', code: 'cycle' });
  });

  test('the next message starts afresh', async () => {
    const world = await loop({ tools, limits }, ...inTurn(19), ...inTurn(4), says('done'));
    await world.settle();
    await world.say('go on');
    await world.settle();
    const { end, results } = await read(world);
    expect(end).toMatchObject({ state: 'completed' });
    expect(results.slice(-4).map(({ outcome }) => outcome)).toEqual(Array(4).fill('ok'));
  });

  test('anything new in between restarts the count: another call, or another result', async () => {
    const script = [...inTurn(8), calls(['get', { id: 2 }]), ...inTurn(4)];
    expect(
      (await looped({ tools, limits }, ...script)).results.every(({ outcome }) => outcome === 'ok'),
    ).toBe(true);
    let n = 0;
    const moving = tool('fetch', () => `fetched ${Math.ceil(n++ / 2)}`);
    const { codes, end } = await looped({ tools: [get, moving], limits }, ...inTurn(30));
    expect(codes).toEqual([]);
    expect(end).toMatchObject({ state: 'completed' });
  });

  test('a round of sixty calls is a round', async () => {
    const round = Array.from({ length: 181 }, (_, i) => calls(['get', { id: i % 60 }]));
    const { codes } = await looped({ tools, limits: { maxSteps: 190, maxToolCalls: 0 } }, ...round);
    expect(codes).toContain('nudge cycle');
  });

  test('alternating results are not new', async () => {
    let n = 0;
    const flapping = tool('fetch', () => ['up', 'down'][n++ % 2]);
    const { end } = await looped({ tools: [get, flapping], limits }, ...inTurn(40));
    expect(end).toMatchObject({ state: 'error', reason: 'loop_halt' });
  });

  test('L11: a call that marks progress is new, whatever it returns', async () => {
    const marking = tool('fetch', (_input, { markProgress }) => {
      markProgress();
      return 'fetched';
    });
    const { codes } = await looped({ tools: [get, marking], limits }, ...inTurn(30));
    expect(codes).toEqual([]);
  });

  test('a batch counts once, whatever the order of its calls', async () => {
    const pair = (i: number) => [
      ['get', { id: i }] as [string, unknown],
      ['fetch', { id: i }] as [string, unknown],
    ];
    const batch = (i: number) => calls(...(i % 4 < 2 ? pair(i % 2) : pair(i % 2).reverse()));
    const { end, results } = await looped(
      { tools, limits },
      ...Array.from({ length: 40 }, (_, i) => batch(i)),
    );
    expect(results.filter(({ outcome }) => outcome === 'ok')).toHaveLength(20);
    expect(end).toMatchObject({ state: 'error', reason: 'loop_halt', steps: 19 });
  });

  test('its thresholds are configurable, must rise, and 0 is off', async () => {
    const cycles = { advise: 0, refuse: 2, halt: 3 };
    const { results, end } = await looped({ tools, guardrails: { loop: { cycles } } }, ...inTurn(10));
    expect(results.map(({ outcome }) => outcome)).toEqual(['ok', 'ok', ...Array(3).fill('refused')]);
    expect(end).toMatchObject({ reason: 'loop_halt', steps: 5 });
    const wrong = { name: 'a', version: '1', model: { name: 'm' }, system: 's' };
    expect(() => defineAgent({ ...wrong, guardrails: { loop: { cycles: { refuse: 2 } } } })).toThrow(
      /advise < refuse < halt/,
    );
    const off = { advise: 0, refuse: 0, halt: 0 };
    const unbound = await looped({ tools, limits, guardrails: { loop: { cycles: off } } }, ...inTurn(60));
    expect(unbound.end).toMatchObject({ state: 'completed' });
  });
});

describe('repeats within one batch count once', () => {
  const readFile = tool('read_file', () => 'text');
  const five = () =>
    calls(...Array.from({ length: 5 }, (): [string, unknown] => ['read_file', { path: 'a.ts' }]));

  test('five equal reads of one reply all run without advice', async () => {
    const { results, codes } = await looped({ tools: [readFile] }, five());
    expect(results.map(({ outcome }) => outcome)).toEqual(Array(5).fill('ok'));
    expect(codes).toEqual([]);
  });

  test('requested again and again they count as five equal reads, as before', async () => {
    const { end, codes } = await looped({ tools: [readFile] }, ...Array.from({ length: 9 }, five));
    expect(codes[0]).toBe('nudge doom_loop');
    expect(end).toMatchObject({ state: 'error', reason: 'tool_error', steps: 6 });
  });
});

describe('polls', () => {
  const pending = (name: string, poll?: boolean) =>
    tool(name, () => 'PENDING', { ...(poll !== undefined && { poll }) });
  const asked = (n: number, polling: ReturnType<typeof tool>, guardrails?: Guardrails) =>
    looped(
      { tools: [polling], limits, ...(guardrails && { guardrails }) },
      ...times(n, polling.name, { id: 1 }),
    );

  test.each([
    ['check_status', undefined],
    ['deployment', true],
  ] as const)(
    '%s, poll: %s: nine equal answers are no loop; at ten there is advice, and twenty run',
    async (name, poll) => {
      expect((await asked(9, pending(name, poll))).codes).toEqual([]);
      const { codes, results } = await asked(22, pending(name, poll));
      expect(results.map(({ outcome }) => outcome)).toEqual([...Array(20).fill('ok'), 'refused', 'refused']);
      expect(codes).toEqual(['nudge cycle', 'block cycle_refused', 'block cycle_refused']);
    },
  );

  test('a tool that declares that it does not poll is no poll, whatever its name', async () => {
    expect((await asked(8, pending('check_status', false))).end).toMatchObject({ reason: 'loop_halt' });
  });

  test("L13: a tool's declaration also holds for the window of other presets", async () => {
    const noCounts = { warn: 0, block: 0, halt: 0 };
    const guardrails: Guardrails = {
      preset: 'praisonai-current',
      loop: { counts: { idempotent: noCounts }, noProgress: { warn: 0, halt: 0 } },
    };
    expect((await asked(10, pending('deployment', true), guardrails)).codes).toEqual([]);
    expect((await asked(10, pending('deployment'), guardrails)).codes).toContain(
      'warn generic_repeat_warning',
    );
  });

  test('`poll` is true or false', () => {
    const wrong = { ...pending('a'), poll: 'yes' } as unknown as Parameters<typeof defineTool>[0];
    expect(() => defineTool(wrong)).toThrow(/tool a:[\s\S]*poll/);
  });
});

describe('L14: refused calls continue their pattern', () => {
  test('A, B with only the window enabled: refused to its end', async () => {
    const quiet = { warn: 0, block: 0, halt: 0 };
    const guardrails: Guardrails = {
      preset: 'praisonai-current',
      loop: { counts: { idempotent: quiet, mutating: quiet }, window: { warn: 5, critical: 8 } },
    };
    const { results } = await looped({ tools, limits, guardrails }, ...inTurn(20));
    expect(results.map(({ outcome }) => outcome)).toEqual([
      ...Array(7).fill('ok'),
      ...Array(13).fill('refused'),
    ]);
  });
});

describe('sessions from older versions', () => {
  const agent = (guardrails: Guardrails) =>
    defineAgent({
      name: 'a',
      version: '1',
      model: { name: 'm' },
      system: 's',
      ...(guardrails && { guardrails }),
    });

  test('A21: a session pinned without the news setting counts as before', () => {
    const { loop: now, ...others } = agent('hamr').guardrails;
    const { news: _news, cycles: _cycles, ...old } = now;
    const stored = { ...pin(agent('hamr'), undefined), guardrails: { ...others, loop: old } };
    expect(withStored(stored as unknown as ReturnType<typeof pin>).guardrails.loop).toEqual(now);
  });

  test('a new session keeps its pinned setting', () => {
    const pinned = pin(agent({}), undefined);
    expect(withStored(pinned)).toEqual(pinned);
    expect(pinned.guardrails.loop).toMatchObject({
      news: 'excused',
      cycles: { advise: 3, refuse: 6, halt: 10 },
    });
  });

  test('a polling tool is pinned as any other: the definition is the one for the model', () => {
    const poll = tool('rollout', () => 1, { poll: true });
    const same = tool('rollout', () => 1);
    const base = { name: 'a', version: '1', model: { name: 'm' }, system: 's' };
    expect(pin(defineAgent({ ...base, tools: [poll] }), undefined)).toEqual(
      pin(defineAgent({ ...base, tools: [same] }), undefined),
    );
  });
});
