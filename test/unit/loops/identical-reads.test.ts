import { describe, expect, test } from 'vitest';
import { calls, saysAndCalls } from '../../../testing/scripted-model.ts';
import { ofType, tool } from '../step/reading.fixture.ts';
import { loop, looped, read, times, toldIn } from './loops.fixture.ts';

const reading = (name = 'read', answer: (input: Record<string, unknown>) => unknown = () => 'text') =>
  tool(name, answer);
const edit = tool('edit', () => 'ok', { effect: 'once' });
const bash = tool('bash', ({ command }) => ({ exitCode: 0, stdout: String(command) }), { effect: 'once' });
/** Without recovery, which lets the first halt pass (H16). */
const unrecovered = { preset: 'hamr' as const, recovery: { total: 0 } };
const hamr = { guardrails: unrecovered, tools: [reading(), edit, bash] };
const toolError = { state: 'error', reason: 'tool_error' };
const path = (name: string) => ({ path: name });

describe('H8: identical reads', () => {
  test('H8: the fifth identical read ends the run, and has a result', async () => {
    const { end, results, events } = await looped(hamr, ...times(5, 'read', path('a')));
    expect(end).toEqual({ ...toolError, steps: 5 });
    expect(results.map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'ok', 'ok', 'refused']);
    expect(ofType(events, 'TOOL_CALL_RESULT')).toHaveLength(5);
  });

  test('H8: four are allowed', async () => {
    expect((await looped(hamr, ...times(4, 'read', path('a')))).end).toMatchObject({ state: 'completed' });
  });

  test('H8: reads between do not matter, other ranges are other reads', async () => {
    const between = [0, 1, 2, 3, 4].flatMap((i) => [
      calls(['read', path('a')]),
      calls(['read', { path: 'a', from: i }]),
    ]);
    expect((await looped(hamr, ...between)).end).toMatchObject({ ...toolError, steps: 9 });
  });

  test('H8: other reads in between do not matter, and other ranges are other reads', async () => {
    const one = () => calls(['read', { path: 'a', from: 1 }]);
    const other = () => calls(['read', { from: 1, path: 'a' }]);
    expect((await looped(hamr, one(), other(), one(), other(), one())).end).toMatchObject(toolError);
  });

  test('H8: a change of that path restarts the count', async () => {
    const script = [
      ...times(4, 'read', path('a')),
      calls(['edit', path('./a')]),
      ...times(4, 'read', path('a')),
    ];
    expect((await looped(hamr, ...script)).end).toMatchObject({ state: 'completed' });
  });

  test('H8: a shell that changes it does too', async () => {
    const script = [
      ...times(4, 'read', path('a')),
      calls(['bash', { command: 'sed -i s/x/y/ ./a' }]),
      ...times(4, 'read', path('a')),
    ];
    expect((await looped(hamr, ...script)).end).toMatchObject({ state: 'completed' });
  });

  test('H8: a change of another path does not, nor does a failed one', async () => {
    const failing = tool('edit', () => Promise.reject(new Error('no')), { effect: 'once' });
    const script = [...times(4, 'read', path('a')), calls(['edit', path('b')]), calls(['read', path('a')])];
    expect((await looped(hamr, ...script)).end).toMatchObject(toolError);
    const failed = [...times(4, 'read', path('a')), calls(['edit', path('a')]), calls(['read', path('a')])];
    expect((await looped({ ...hamr, tools: [reading(), failing] }, ...failed)).end).toMatchObject(toolError);
  });

  test('H8: a different result restarts the count', async () => {
    let n = 0;
    const changing = reading('read', () => (++n < 5 ? 'old' : `new ${n}`));
    const { end } = await looped(
      { ...hamr, tools: [changing] },
      ...times(4, 'read', path('a')),
      ...times(4, 'read', path('b')),
    );
    expect(end).toMatchObject({ state: 'completed' });
    n = 0;
    const moves = reading('read', () => (++n === 4 ? 'new' : n < 4 ? 'old' : 'new'));
    expect((await looped({ ...hamr, tools: [moves] }, ...times(7, 'read', path('a')))).end).toMatchObject({
      state: 'completed',
    });
  });

  test('H8: at three the model is asked to stop', async () => {
    const { requests } = await looped(hamr, ...times(4, 'read', path('a')));
    expect(toldIn(requests, 3)).toEqual([]);
    expect(toldIn(requests, 4)).toEqual([expect.stringContaining('Identical reads')]);
  });

  test('H8: five in one batch: none runs, and each has its result', async () => {
    const batch = calls(...Array.from({ length: 5 }, (): [string, unknown] => ['read', path('a')]));
    const { end, results } = await looped(hamr, batch);
    expect(end).toMatchObject({ ...toolError, steps: 1 });
    expect(results.map(({ outcome }) => outcome)).toEqual([...Array(4).fill('cancelled'), 'refused']);
  });

  test('H8: the count restarts with the next message', async () => {
    const world = await loop(hamr, ...times(5, 'read', path('a')), ...times(4, 'read', path('a')));
    await world.settle();
    await world.say('again');
    await world.settle();
    expect((await read(world)).end).toMatchObject({ state: 'completed' });
  });
});

describe('H16: recovery', () => {
  test('H8, H16: under the whole preset the run recovers from the first halt, and the count restarts', async () => {
    const whole = { ...hamr, guardrails: 'hamr' as const };
    const once = await looped(whole, ...times(9, 'read', path('a')));
    expect(once.end).toMatchObject({ state: 'completed' });
    expect(once.results.map(({ outcome }) => outcome)).toEqual([
      ...Array(4).fill('ok'),
      'refused',
      ...Array(4).fill('ok'),
    ]);
    const twice = await looped(whole, ...times(10, 'read', path('a')));
    expect(twice.end).toEqual({ ...toolError, steps: 10 });
  });
});

describe('A20: our texts', () => {
  test('A20: a nudge is in the request after all results of its batch, is kept, and is not shown', async () => {
    const { requests, slots, events } = await looped(
      hamr,
      ...times(2, 'read', path('a')),
      saysAndCalls('more', ['read', path('a')], ['read', path('b')]),
    );
    const last = requests.at(-1)?.messages.at(-1)?.content ?? [];
    expect(last.map(({ type }) => type)).toEqual(['tool_result', 'tool_result', 'text']);
    const input = slots.flatMap((slot) => (slot.kind === 'model' ? slot.input : []));
    expect(input).toContainEqual({
      text: expect.stringContaining('Identical reads'),
      internal: { reason: 'identical_reads' },
    });
    expect(JSON.stringify(ofType(events, 'MESSAGES_SNAPSHOT'))).not.toContain('Identical reads');
  });
});
