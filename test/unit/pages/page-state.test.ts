import { AbstractAgent, type BaseEvent } from '@ag-ui/client';
import { from } from 'rxjs';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { readState } from '../../../functions/routes/page-state.ts';
import { calls, type ScriptedModel, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { pageState } from '../../../tools/page-state.ts';
import { type PageWorld, type Part, pageWorld, person } from './page-world.fixture.ts';

const tool = pageState(
  z.object({ theme: z.enum(['light', 'dark']), rows: z.array(z.string()), 'a/b~c': z.string().nullable() }),
);
const set = (change: object): [string, object] => ['set_page_state', change];
const user = (content = 'Make it dark', id = 'm1') => ({ id, role: 'user', content });
const world = (...script: Parameters<typeof scriptedModel>) => {
  const model = scriptedModel(...script);
  return pageWorld({ tools: [tool] }, model).then((it) => Object.assign(it, { model }));
};

/** The state that the page of AG-UI's own client has after these events. */
async function stateAfter(events: readonly Part[], before: object): Promise<unknown> {
  class Page extends AbstractAgent {
    override run() {
      return from(events as unknown as BaseEvent[]);
    }
  }
  const page = new Page({ threadId: 's1', initialState: before });
  await page.runAgent({ runId: 'r1' });
  return page.state;
}
const typesOf = (events: readonly Part[]) =>
  events.map(({ type }) => type).filter((type) => type.startsWith('STATE_'));
const resultsIn = async (it: PageWorld) =>
  (await it.slots()).flatMap((slot) => (slot.kind === 'tools' ? slot.results : []));
const stored = async (it: PageWorld, sessionId = 's1') => {
  const agent = it.agentOf('test');
  const context = { io: it, agents: agent ? [agent] : [] } as never;
  const answer = await readState({ pathParameters: { sessionId } } as never, person('ada'), context);
  return JSON.parse(answer.body ?? '').state;
};

describe('a change of the model', () => {
  test('reaches the page as a patch, whatever fields the page has, and the others stay', async () => {
    const it = await world(calls(set({ theme: 'dark', 'a/b~c': null })), says('Dark.'));
    const events = await it.agui('/agui', { messages: [user()], state: { theme: 'light', mine: 1 } });
    expect(typesOf(events)).toEqual(['STATE_DELTA']);
    const after = { theme: 'dark', mine: 1, 'a/b~c': null };
    expect(await stateAfter(events, { theme: 'light', mine: 1 })).toEqual(after);
    expect(await stateAfter(events, {})).toEqual({ theme: 'dark', 'a/b~c': null });
    expect(await stored(it)).toEqual(after);
  });

  test('is one of several in a batch: none is lost, and of two to a field the later one counts', async () => {
    const it = await world(
      calls(set({ rows: ['a'] }), set({ theme: 'dark' }), set({ rows: ['a', 'b'] })),
      says('Done.'),
    );
    const events = await it.agui('/agui', { messages: [user()], state: { theme: 'light' } });
    expect(await stateAfter(events, { theme: 'light' })).toEqual({ theme: 'dark', rows: ['a', 'b'] });
    expect(await stored(it)).toEqual({ theme: 'dark', rows: ['a', 'b'] });
  });

  test.each<[string, object, RegExp]>([
    ['a value that its schema refuses', { theme: 'blue' }, /^Error \[invalid_arguments\]/],
    ['a field that there is not', { color: 'red' }, /^Error \[invalid_arguments\]/],
    ['a prototype', JSON.parse('{"__proto__": {"x": 1}}'), /^Error/],
    ['nothing', {}, /Name at least one field. There are: theme, rows, a\/b~c\./],
    ['too much', { rows: ['x'.repeat(9_000)] }, /has \d+ characters of JSON, and one may have up to 8000/],
  ])('is refused: %s', async (_what, change, why) => {
    const it = await world(calls(set(change)), says('Sorry.'));
    const events = await it.agui('/agui', { messages: [user()], state: { theme: 'light' } });
    expect(typesOf(events)).toEqual([]);
    expect((await resultsIn(it))[0]?.content).toMatch(why);
    expect(await stored(it)).toEqual({ theme: 'light' });
  });
});

describe('a page', () => {
  const dark = async () => {
    const it = await world(calls(set({ theme: 'dark' })), says('Dark.'), says('Again.'), says('And again.'));
    await it.agui('/agui', { messages: [user()], state: { theme: 'light', mine: 1 } });
    return it;
  };

  test('that connects again gets the state of the session', async () => {
    const it = await dark();
    const events = await it.agui('/agui/connect');
    expect(typesOf(events)[0]).toBe('STATE_SNAPSHOT');
    expect(await stateAfter(events, {})).toEqual({ theme: 'dark', mine: 1 });
    // One that has it already is sent no snapshot.
    const same = await it.agui('/agui/connect', { state: { mine: 1, theme: 'dark' } });
    expect(typesOf(same)).not.toContain('STATE_SNAPSHOT');
  });

  test('that has lost its state gets it back with its next message, and the session does not lose it', async () => {
    const it = await dark();
    const events = await it.agui('/agui', { messages: [user('Hi', 'm2')], state: {} });
    expect(await stateAfter(events, {})).toEqual({ theme: 'dark', mine: 1 });
    expect(await stored(it)).toEqual({ theme: 'dark', mine: 1 });
  });

  test('that has changed its state keeps it, and the model reads it', async () => {
    const it = await dark();
    const events = await it.agui('/agui', {
      messages: [user('Hi', 'm2')],
      state: { theme: 'light', mine: 2 },
    });
    expect(typesOf(events)).toEqual([]);
    expect(await stored(it)).toEqual({ theme: 'light', mine: 2 });
    const { model } = it as unknown as { model: ScriptedModel };
    expect(JSON.stringify(model.requests.at(-1)?.messages.at(-1))).toContain('mine');
  });

  test('that has missed the end of its run catches up when it sends its message again', async () => {
    const it = await dark();
    const events = await it.agui('/agui', { messages: [user()], state: { theme: 'light', mine: 1 } });
    expect(await stateAfter(events, { theme: 'light', mine: 1 })).toEqual({ theme: 'dark', mine: 1 });
  });

  test('whose state is too large is the only one that knows it', async () => {
    const it = await dark();
    const state = { text: 'x'.repeat(30_000) };
    await it.agui('/agui', { messages: [user('Hi', 'm2')], state });
    expect(await stored(it)).toBeNull();
    expect(typesOf(await it.agui('/agui/connect', { state }))).not.toContain('STATE_SNAPSHOT');
  });
});

test('an agent without the tool sends no state, and reads none', async () => {
  const it = await pageWorld({}, scriptedModel(says('Hi.')));
  const events = await it.agui('/agui', { messages: [user()], state: { theme: 'light' } });
  expect(typesOf([...events, ...(await it.agui('/agui/connect'))])).toEqual([]);
  expect(await stored(it)).toBeNull();
});

describe('the fields of a state', () => {
  test.each([
    [
      'a default',
      z.object({ theme: z.string().default('x') }),
      /the field theme of a page's state has a default/,
    ],
    [
      'the name of a prototype',
      z.object({ constructor: z.string() }),
      /cannot have a field named constructor/,
    ],
  ])('cannot have %s', (_what, fields, why) => {
    expect(() => pageState(fields)).toThrow(why);
  });
});
