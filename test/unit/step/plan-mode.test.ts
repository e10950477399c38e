/** T21: plan mode on the real step. */

import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { definePolicy } from '../../../shared/agent/define/policy.ts';
import { defineTool } from '../../../shared/agent/define/tool.ts';
import { accept, cancel } from '../../../shared/agent/entrypoints/accept.ts';
import { decide, type NewDecision } from '../../../shared/agent/entrypoints/decide.ts';
import type { ToolCall } from '../../../shared/agent/session/slots.ts';
import { putContent } from '../../../shared/agent/workspace/content.ts';
import { freezeAfter, killAfter, killBefore } from '../../../testing/faults.ts';
import { filesOf } from '../../../testing/files.ts';
import { reply, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { settleWithCalls } from '../../support/queued-calls.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { custom, endings, notedTool, ofType, resultsOf, textsOf, tool } from './reading.fixture.ts';

const calling = (...calls: ToolCall[]) =>
  reply({ stop: 'tool_use', content: calls.map((call) => ({ type: 'tool_use', ...call })), calls });
const write = (id: string, path: string, content: string): ToolCall => ({
  id,
  name: 'write',
  input: { path, content },
});
const remove = (id: string, path: string): ToolCall => ({ id, name: 'remove', input: { path } });
const read = (id: string, path: string): ToolCall => ({ id, name: 'read', input: { path } });
const pay = (id: string, euros = Number(id.slice(1))): ToolCall => ({ id, name: 'pay', input: { euros } });

const writing = tool(
  'write',
  async ({ path, content }, { services: { workspace } }) => {
    await workspace.write(String(path), String(content));
    return `wrote ${path}`;
  },
  { effect: 'idempotent', drafts: true },
);
const removing = tool(
  'remove',
  async ({ path }, { services: { workspace } }) => {
    await workspace.remove(String(path));
    return { removed: path };
  },
  { effect: 'idempotent', drafts: true },
);
const reading = tool('read', async ({ path }, { services: { workspace } }) =>
  new TextDecoder().decode(await workspace.read(String(path))),
);

type Definition = NonNullable<Parameters<typeof sessionWorld>[0]>;
type Options = Parameters<typeof sessionWorld>[2];

/** A session in plan mode that has proposed its model's calls. */
async function planned(
  replies: ReturnType<typeof calling>[],
  definition: Definition = {},
  options: Options = {},
) {
  const paid = notedTool('pay', 'once');
  const model = scriptedModel(...replies, says('That is my plan.'), says('Done.'));
  const tools = [writing, removing, reading, paid.tool, ...(definition.tools ?? [])];
  const world = await sessionWorld({ mode: 'plan', ...definition, tools }, model, options);
  await world.say('Do it');
  await settleWithCalls(world);
  return { world, paid, model, tools };
}

const interruptsOf = async (world: SessionWorld) => {
  const last = ofType(await world.events(), 'RUN_FINISHED').at(-1);
  return last?.outcome.type === 'interrupt' ? last.outcome.interrupts : [];
};
const decideOn = async (world: SessionWorld, decision: Omit<NewDecision, 'by'>) => {
  const [plan] = await interruptsOf(world);
  expect(plan?.reason).toBe('plan');
  return decide(world.key, plan?.id ?? '', { by: 'ann', ...decision }, world);
};
const filesIn = async (world: SessionWorld) => filesOf(world.key, (await world.view()).session, world);
/** The outcome of each change of the plan. */
const made = async (world: SessionWorld) =>
  resultsOf(await world.slots())
    .filter(({ callId }) => callId.startsWith('change_'))
    .map(({ outcome }) => outcome);

describe('T21: the proposal', () => {
  test('no change is made before people have approved it; they see one diff of the files, and the calls', async () => {
    const { world, paid, model } = await planned([
      calling(write('c1', 'a.txt', 'one\n'), pay('c2')),
      calling(write('c3', 'a.txt', 'two\n'), read('c4', 'a.txt')),
      calling(read('c5', 'a.txt')),
    ]);
    expect(paid.keys).toEqual([]);
    expect((await world.view()).session.workspace).toBeUndefined();
    const results = resultsOf(await world.slots());
    expect(results.map(({ proposed }) => proposed)).toEqual([1, 2, 3, undefined, undefined]);
    expect(results[1]?.content).toContain('Proposed as change 2 of your plan');
    expect(results.map(({ content }) => content).slice(3)).toEqual(['two\n', 'two\n']);
    const [asked, ...more] = await interruptsOf(world);
    expect(more).toEqual([]);
    expect(asked).toMatchObject({ reason: 'plan' });
    expect(asked?.message).toBe(
      [
        'Plan: 3 changes',
        '1. write: a.txt',
        '2. pay',
        'euros: 2',
        '3. write: a.txt',
        '--- /dev/null',
        '+++ b/a.txt',
        '@@ -0,0 +1,1 @@',
        '+two',
      ].join('\n'),
    );
    expect((await world.view()).session).toMatchObject({
      state: 'waiting_for_input',
      reason: 'awaiting_approval',
    });

    expect(await decideOn(world, { approved: true })).toBe('decided');
    await world.settle();
    expect(paid.keys).toHaveLength(1);
    expect(await filesIn(world)).toEqual({ 'a.txt': 'two\n' });
    expect(endings(await world.events())).toMatchObject([{ state: 'completed' }]);
    expect(textsOf(model.requests.at(-1), 'user').at(-1)).toBe(
      [
        '[steploop] The user was shown your plan. What came of its changes:',
        '1. Made as approved: a.txt.',
        '2. pay done',
        '3. Made as approved: a.txt.',
      ].join('\n'),
    );
  });

  test('wrong arguments and calls that a policy forbids fail at once, and are no change', async () => {
    const strict = defineTool({
      name: 'strict',
      description: 'Wants a number.',
      effect: 'once',
      input: z.object({ n: z.number() }),
      run: () => 'ran',
    });
    const policy = definePolicy({
      name: 'p',
      mode: 'yolo',
      rules: [{ name: 'never', decision: 'forbid', tools: ['pay'] }],
    });
    const { world, paid } = await planned(
      [calling({ id: 'c1', name: 'strict', input: { n: 'x' } }, pay('c2'))],
      { tools: [strict], policy },
    );
    expect(resultsOf(await world.slots())).toMatchObject([
      { outcome: 'error', content: expect.stringContaining('invalid_arguments') },
      { outcome: 'refused', content: expect.stringContaining('(p.never)') },
    ]);
    expect(paid.keys).toEqual([]);
    expect(endings(await world.events())).toMatchObject([{ state: 'completed' }]);
  });

  test('a plan has room for 50 changes; further ones are refused with an explanation', async () => {
    const many = Array.from({ length: 5 }, (_, n) =>
      calling(...Array.from({ length: 11 }, (_, i) => write(`c${n}x${i}`, `f${n}-${i}`, `${n}${i}`))),
    );
    const { world } = await planned(many);
    const outcomes = resultsOf(await world.slots()).map(({ outcome }) => outcome);
    expect(outcomes.filter((one) => one === 'ok')).toHaveLength(50);
    expect(outcomes.filter((one) => one === 'refused')).toHaveLength(5);
    expect((await interruptsOf(world))[0]?.message).toMatch(/^Plan: 50 changes/m);
  });

  test('a message sets the mode of the session from then on', async () => {
    const model = scriptedModel(
      calling(pay('c1')),
      says('Planned.'),
      says('No.'),
      calling(pay('c2')),
      says('Paid.'),
    );
    const paid = notedTool('pay', 'once');
    const world = await sessionWorld({ tools: [paid.tool] }, model, { mode: 'plan' });
    await world.say('Plan');
    await world.settle();
    expect(await decideOn(world, { approved: false })).toBe('decided');
    await world.settle();
    expect(paid.keys).toEqual([]);
    await accept(world.key, { eventId: 'e2', text: 'Just do it', mode: 'act' }, world);
    await world.settle();
    expect(paid.keys).toHaveLength(1);
  });

  test('without a person to decide, all of it is denied at once', async () => {
    const paid = notedTool('pay', 'once');
    const model = scriptedModel(calling(pay('c1')), says('Planned.'), says('No one is there.'));
    const world = await sessionWorld(
      { tools: [paid.tool], mode: 'plan', approvals: { unattended: 'deny' } },
      model,
    );
    await world.say('Go', 'e1', 'webhook:w', { kind: 'webhook', channel: 'webhook' });
    await world.settle();
    expect(paid.keys).toEqual([]);
    expect(await made(world)).toEqual(['refused']);
    expect(endings(await world.events())).toMatchObject([{ state: 'completed' }]);
  });
});

describe('T21: the decision', () => {
  const three = [calling(write('c1', 'a.txt', 'one'), pay('c2'), write('c3', 'b.txt', 'two'))];

  test('of two writes the approved one is made; the model reads why the other was not, and the note', async () => {
    const { world, model } = await planned([
      calling(write('c1', 'a.txt', 'one'), write('c2', 'b.txt', 'two')),
    ]);
    expect(await decideOn(world, { approved: true, changes: [1], note: 'not b' })).toBe('decided');
    await world.settle();
    expect(await filesIn(world)).toEqual({ 'a.txt': 'one' });
    expect(await made(world)).toEqual(['ok', 'refused']);
    expect(textsOf(model.requests.at(-1), 'user').join('\n')).toContain('not b');
    expect(custom(await world.events(), 'steploop.decided')).toMatchObject([
      { outcome: 'approved', by: 'ann', changes: [1] },
    ]);
  });

  test('with none approved nothing is made, and the run continues', async () => {
    const { world, paid } = await planned(three);
    expect(await decideOn(world, { approved: false, note: 'No.' })).toBe('decided');
    await world.settle();
    expect(await made(world)).toEqual(['refused', 'refused', 'refused']);
    expect(paid.keys).toEqual([]);
    expect(await filesIn(world)).toEqual({});
    expect(endings(await world.events())).toMatchObject([{ state: 'completed' }]);
  });

  test('the first decision counts, and a late one finds nothing to decide', async () => {
    const { world, paid } = await planned(three);
    const [plan] = await interruptsOf(world);
    expect(await decideOn(world, { approved: true, changes: [1] })).toBe('decided');
    expect(await decideOn(world, { approved: true })).toBe('already_decided');
    await world.settle();
    expect(await decide(world.key, plan?.id ?? '', { approved: true, by: 'bob' }, world)).toBe('closed');
    expect(paid.keys).toEqual([]);
  });

  test('a change without a decision in time is not made', async () => {
    const { world, paid } = await planned(three, { approvals: { expireAfterSeconds: 60 } });
    world.clock.advance(61_000);
    await world.settle();
    expect(await made(world)).toEqual(['refused', 'refused', 'refused']);
    expect(paid.keys).toEqual([]);
  });

  test('a plan that exceeds the call limit of a reply is carried out whole', async () => {
    const { world } = await planned([calling(pay('c1')), calling(pay('c2')), calling(pay('c3'))], {
      limits: { maxCallsPerReply: 2 },
    });
    await decideOn(world, { approved: true });
    await world.settle();
    expect(await made(world)).toEqual(['ok', 'ok', 'ok']);
  });
});

describe('T21: made exactly as approved', () => {
  test('a file that has changed is not overwritten, nor by later changes to it; other changes are made', async () => {
    const { world, model } = await planned(
      [
        calling(write('c1', 'a.txt', 'one'), write('c2', 'b.txt', 'b')),
        calling(write('c3', 'a.txt', 'two')),
        calling(remove('c4', 'a.txt')),
      ],
      {},
      { workspace: { 'a.txt': 'old' } },
    );
    await decideOn(world, { approved: true, changes: [2, 3, 4] });
    await world.settle();
    expect(await made(world)).toEqual(['refused', 'ok', 'error', 'error']);
    expect(await filesIn(world)).toEqual({ 'a.txt': 'old', 'b.txt': 'b' });
    expect(textsOf(model.requests.at(-1), 'user').at(-1)).toMatch(
      /3\. .*a\.txt is not as it was when this change was proposed/,
    );
  });

  test('files that appear meanwhile are visible in the draft, and are not overwritten by changes to others', async () => {
    const model = scriptedModel(
      calling(write('c1', 'a.txt', 'mine'), write('c2', 'c.txt', 'c')),
      calling(read('c3', 'b.txt')),
      says('That is my plan.'),
      says('Done.'),
    );
    const world = await sessionWorld({ mode: 'plan', tools: [writing, reading] }, model);
    await world.say('Do it');
    await world.step();
    const sent = async (name: string, text: string) => {
      const bytes = new TextEncoder().encode(text);
      const hash = await putContent(world.key, bytes, world.blobs);
      return { hash, name, path: name, bytes: bytes.length, mediaType: 'text/plain', as: 'file' as const };
    };
    const attachments = [await sent('a.txt', 'theirs'), await sent('b.txt', 'b')];
    await accept(world.key, { eventId: 'e2', text: 'Look', attachments }, world);
    await world.settle();
    expect(resultsOf(await world.slots()).at(-1)).toMatchObject({ outcome: 'ok', content: 'b' });
    await decideOn(world, { approved: true });
    await world.settle();
    expect(await made(world)).toEqual(['error', 'ok']);
    expect(await filesIn(world)).toEqual({ 'a.txt': 'theirs', 'b.txt': 'b', 'c.txt': 'c' });
  });

  test('files that were read in a draft are read again after the decision', async () => {
    const cached = { ...reading, name: 'recall', cacheable: true };
    const recall = (id: string): ToolCall => ({ id, name: 'recall', input: { path: 'a.txt' } });
    const model = scriptedModel(
      calling(write('c1', 'a.txt', 'one')),
      calling(recall('c2')),
      says('That is my plan.'),
      calling(recall('c3')),
      says('Done.'),
    );
    const options = { workspace: { 'a.txt': 'old' } };
    const world = await sessionWorld({ mode: 'plan', tools: [writing, cached] }, model, options);
    await world.say('Do it');
    await world.settle();
    await decideOn(world, { approved: false });
    await world.settle();
    const read = resultsOf(await world.slots()).filter(({ name }) => name === 'recall');
    expect(read.map(({ content }) => content)).toEqual(['one', 'old']);
  });

  test('a tool that by now parses its arguments differently does not run with them', async () => {
    const named = (euros: z.ZodType) =>
      defineTool({
        name: 'give',
        description: 'Gives.',
        effect: 'once',
        input: z.object({ euros }),
        run: ({ euros }) => {
          given.push(euros);
          return 'given';
        },
      });
    const given: unknown[] = [];
    const { world, tools } = await planned([calling({ id: 'c1', name: 'give', input: { euros: 1 } })], {
      tools: [named(z.number())],
    });
    await decideOn(world, { approved: true });
    world.deploy({
      mode: 'plan',
      tools: [...tools.slice(0, -1), named(z.number().transform((n) => n * 100))],
    });
    await world.settle();
    expect(given).toEqual([]);
    expect(await made(world)).toEqual(['refused']);
  });

  test('T22: a call that a policy forbids by then does not run, even if it was approved', async () => {
    const { world, paid, tools } = await planned([calling(pay('c1'), write('c2', 'a.txt', 'one'))]);
    await decideOn(world, { approved: true });
    const policy = definePolicy({
      name: 'p',
      mode: 'yolo',
      rules: [{ name: 'never', decision: 'forbid', tools: ['pay'] }],
    });
    world.deploy({ mode: 'plan', tools, policy });
    await world.settle();
    expect(paid.keys).toEqual([]);
    expect(await made(world)).toEqual(['refused', 'ok']);
  });

  test('T22: a call that a policy asks about is approved with the plan, without another question', async () => {
    const policy = definePolicy({
      name: 'p',
      mode: 'yolo',
      rules: [{ name: 'money', decision: 'ask', tools: ['pay'] }],
    });
    const { world, paid } = await planned([calling(pay('c1'))], { policy });
    await decideOn(world, { approved: true });
    await world.settle();
    expect(paid.keys).toHaveLength(1);
    expect((await world.slots()).at(-2)?.leaves).toMatchObject({
      change_1_3: { decision: 'allow', by: 'ann' },
    });
  });

  test('a queued change begins after those before it, and those after it wait for it', async () => {
    const order: unknown[] = [];
    const noting = (name: string, where: 'queue' | 'inline') =>
      tool(
        name,
        ({ n }) => {
          order.push(n);
          return 'noted';
        },
        { effect: 'idempotent', where, touches: () => [name] },
      );
    const note = (id: string, name: string): ToolCall => ({ id, name, input: { n: Number(id.slice(1)) } });
    const { world } = await planned(
      [calling(note('c1', 'far'), note('c2', 'near'), note('c3', 'far'), note('c4', 'near'))],
      { tools: [noting('far', 'queue'), noting('near', 'inline')] },
    );
    expect(order).toEqual([]);
    await decideOn(world, { approved: true, changes: [1, 2, 4] });
    await settleWithCalls(world);
    expect(order).toEqual([1, 2, 4]);
    expect(await made(world)).toEqual(['ok', 'ok', 'refused', 'ok']);
    // Also if its batch was open again for the queue meanwhile.
    const [slot] = (await world.slots()).flatMap((one) => (one.kind === 'tools' && one.saidTo ? [one] : []));
    expect(slot?.saidTo).toEqual({ [slot?.results[2]?.callId ?? '']: { outcome: 'denied', by: 'ann' } });
  });

  test('a draft from the queue is visible to later calls, and is made as any other', async () => {
    const far = { ...writing, name: 'far_write', where: 'queue' as const };
    const { world } = await planned(
      [
        calling({ id: 'c1', name: 'far_write', input: { path: 'a.txt', content: 'far' } }),
        calling(read('c2', 'a.txt')),
      ],
      { tools: [far] },
    );
    expect(resultsOf(await world.slots())[1]).toMatchObject({ outcome: 'ok', content: 'far' });
    expect(await filesIn(world)).toEqual({});
    await decideOn(world, { approved: true });
    await settleWithCalls(world);
    expect(await filesIn(world)).toEqual({ 'a.txt': 'far' });
  });
});

describe('T21: crashes', () => {
  test('a worker that dies between two changes: a change that has begun does not begin again, and the rest is made', async () => {
    const { world, paid } = await planned([calling(pay('c1'), pay('c2'), write('c3', 'a.txt', 'one'))]);
    await decideOn(world, { approved: true });
    world.faults.at('sessions.fence', killBefore, 2);
    await world.settle();
    expect(paid.keys).toHaveLength(2);
    expect(new Set(paid.keys).size).toBe(2);
    expect(await made(world)).toEqual(['ok', 'ok', 'ok']);
    expect(await filesIn(world)).toEqual({ 'a.txt': 'one' });
  });

  test('a worker that dies in a change that may not run twice: its outcome is unknown, and the model is told so', async () => {
    const { world, paid } = await planned([calling(pay('c1'), write('c2', 'a.txt', 'one'))]);
    await decideOn(world, { approved: true });
    world.faults.at('sessions.fence', killAfter);
    await world.settle();
    expect(paid.keys).toEqual([]);
    expect(await made(world)).toEqual(['unknown', 'ok']);
  });

  test('a worker that stands still before a change, until others have made later ones, does not make it', async () => {
    const { world, paid } = await planned([calling(pay('c1'), pay('c2'))]);
    await decideOn(world, { approved: true });
    world.faults.at('sessions.fence', freezeAfter);
    const zombie = world.begin();
    expect(await zombie?.finish()).toBe('stopped');
    await world.clock.advance(120_000);
    await world.settle();
    expect(await made(world)).toEqual(['unknown', 'ok']);
    zombie?.host.thaw();
    await zombie?.finish();
    expect(paid.keys).toHaveLength(1);
  });

  test('a change that has not begun when the run is stopped is not made', async () => {
    const { world, paid } = await planned([calling(pay('c1'), write('c2', 'a.txt', 'one'), pay('c3'))]);
    await decideOn(world, { approved: true });
    world.faults.at('sessions.fence', killBefore, 2);
    await world.step();
    expect(paid.keys).toHaveLength(1);
    await cancel(world.key, world);
    await world.settle();
    expect(paid.keys).toHaveLength(1);
    expect(await made(world)).toEqual(['ok', 'cancelled', 'cancelled']);
    expect(await filesIn(world)).toEqual({});
    expect(endings(await world.events())).toMatchObject([{ state: 'cancelled' }]);
  });

  test('wherever a worker dies, the result is the same', async () => {
    const play = async (dies: number | undefined) => {
      const paid = notedTool('pay', 'idempotent');
      const model = scriptedModel();
      const replies = [
        calling(write('c1', 'a.txt', 'one'), pay('c2')),
        calling(write('c3', 'a.txt', 'two')),
        says('That is my plan.'),
        says('Done.'),
      ];
      const script = {
        ...model,
        complete: async (
          request: Parameters<typeof model.complete>[0],
          hear: Parameters<typeof model.complete>[1],
          signal: AbortSignal,
        ) => {
          const asked = request.messages.filter(({ role }) => role === 'assistant').length;
          const at = Math.min(asked, replies.length);
          return scriptedModel(replies[asked > 2 ? 3 : at] ?? says('?')).complete(request, hear, signal);
        },
      };
      const world = await sessionWorld({ mode: 'plan', tools: [writing, paid.tool] }, script, {});
      if (dies !== undefined) world.faults.atAny(killBefore, dies);
      await world.say('Do it');
      await world.settle();
      await decideOn(world, { approved: true });
      await world.settle();
      return {
        total: world.faults.total(),
        came: {
          made: await made(world),
          files: await filesIn(world),
          keys: new Set(paid.keys).size,
          ended: endings(await world.events()).map(({ state }) => state),
        },
      };
    };
    const { total, came } = await play(undefined);
    expect(came).toEqual({
      made: ['ok', 'ok', 'ok'],
      files: { 'a.txt': 'two' },
      keys: 1,
      ended: ['completed'],
    });
    for (let dies = 1; dies <= total; dies++) expect((await play(dies)).came, String(dies)).toEqual(came);
  });
});
