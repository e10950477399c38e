import { describe, expect, test } from 'vitest';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { askUser } from '../../../shared/agent/define/ask-user.ts';
import type { ModelRequest } from '../../../shared/agent/ports/provider.ts';
import type { ModelOutcome } from '../../../shared/agent/session/reply.ts';
import { type AgentWorld, agentWorld } from '../../../testing/agent-world.ts';
import { type Fault, failAfter, failBefore, killAfter, killBefore } from '../../../testing/faults.ts';
import { answeringModel, calls, says } from '../../../testing/scripted-model.ts';
import { resultsOf } from './reading.fixture.ts';

const base = { version: '1', model: { name: 'm', price: { input: 1, output: 5 } } } as const;
const textOf = (request: ModelRequest) => JSON.stringify(request);
const isChild = (request: ModelRequest) => textOf(request).includes('You research.');
const childrenOf = ({ table }: AgentWorld) =>
  [...table.heads.values()].flatMap(({ session }) => (session.parent ? [session] : []));

interface Script {
  /** The root's reply after it has begun its agent, given the agent's session. */
  readonly sends?: (child: string) => ModelOutcome | Promise<ModelOutcome>;
  /** The agent's replies; the last one again and again. */
  readonly answers?: (request: ModelRequest, n: number) => ModelOutcome | Promise<ModelOutcome>;
}

function world({
  sends = (agent) => calls(['send_to', { agent, message: 'Only in Europe.' }]),
  answers = () => says('Found it.'),
}: Script = {}) {
  const researcher = defineAgent({ ...base, name: 'research', system: 'You research.', tools: [askUser] });
  const root = defineAgent({
    ...base,
    name: 'root',
    system: 'You lead.',
    agents: { researcher: { agent: researcher, when: 'For research.', background: true } },
  });
  let n = 0;
  const model = answeringModel(({ request }) => {
    if (isChild(request)) return answers(request, n++);
    const text = textOf(request);
    const child = /as session (c[0-9a-f]+)/.exec(text)?.[1];
    if (!child) return calls(['researcher', { task: 'Find it.' }]);
    return text.includes('nothing was sent') || text.includes('Sent. ')
      ? says('It is under way.')
      : sends(child);
  });
  return agentWorld(root, model);
}

const inputsOf = async (of: AgentWorld, reason: string) => {
  const [child] = childrenOf(of);
  const stored = child ? await of.sessions.slots(child.key, 0) : [];
  return stored.flatMap(({ slot }) =>
    slot.kind === 'model' ? slot.input.filter(({ internal }) => internal?.reason === reason) : [],
  );
};

/** The child works until the message of its parent has come. */
const untilTold = (request: ModelRequest, n: number) =>
  textOf(request).includes('Only in Europe.')
    ? says('Found it in Europe.')
    : calls(['ask_user', { question: `Which ${n}?` }]);

describe('a message to an agent in the background', () => {
  test('is read at its next step, quoted, and its sender goes on', async () => {
    const of = world({
      answers: async (request) => {
        for (let i = 0; i < 4 && !textOf(request).includes('Only in'); i++) await of.step();
        return says('Found it.');
      },
    });
    await of.say('Find out.', undefined, 'user:ada');
    await of.settle();
    const read = await inputsOf(of, 'parent');
    expect(read.map(({ text }) => text)).toEqual([
      '[steploop] The agent that has given you this task writes:\n\n> Only in Europe.',
    ]);
    expect(resultsOf(await of.slots())[1]).toMatchObject({
      outcome: 'ok',
      content: 'Sent. researcher reads it at its next step.',
    });
  });

  test('several of one reply are read in their order', async () => {
    const many = (agent: string) =>
      calls(...['a', 'b', 'c', 'd'].map((message): [string, unknown] => ['send_to', { agent, message }]));
    const of = world({
      sends: many,
      answers: async () => {
        for (let i = 0; i < 4; i++) await of.step();
        return says('Found it.');
      },
    });
    await of.say('Find out.');
    await of.settle();
    const read = await inputsOf(of, 'parent');
    expect(read.map(({ text }) => text.at(-1))).toEqual(['a', 'b', 'c', 'd']);
  });

  test('answers no question that the agent asks people', async () => {
    const of = world({ answers: untilTold });
    await of.say('Find out.');
    await of.settle(30);
    expect(childrenOf(of)).toMatchObject([{ state: 'waiting_for_input' }]);
    expect(await inputsOf(of, 'parent')).toEqual([]);
  });

  test('is refused when the agent has ended, and when its report was read', async () => {
    for (const isRead of [false, true]) {
      const of = world({
        sends: async (agent) => {
          const next = () => of.queue.messages().find(({ wake }) => wake.sessionId === agent);
          for (let one = next(); one && !isRead; one = next()) await of.step({ messageId: one.messageId });
          return calls(['send_to', { agent, message: 'More.' }]);
        },
      });
      await of.say('Find out.');
      await of.step();
      const child = childrenOf(of)[0]?.key.sessionId;
      for (const { messageId, wake } of of.queue.messages())
        if ((wake.sessionId === child) === isRead) await of.step({ messageId });
      await of.settle();
      const refusals = resultsOf(await of.slots()).filter(({ name }) => name === 'send_to');
      expect(refusals).toMatchObject([{ outcome: 'refused' }]);
      expect(refusals[0]?.content).toContain(
        isRead
          ? 'no agent works for you in the background now.'
          : 'researcher has ended, and its report comes',
      );
      expect(childrenOf(of)).toMatchObject([{ run: { steps: 1 } }]);
    }
  });

  test('is refused for a session that does not work for the sender', async () => {
    const of = world({
      sends: () => calls(['send_to', { agent: 's1', message: 'More.' }]),
      answers: untilTold,
    });
    await of.say('Find out.');
    await of.settle(30);
    const [, result] = resultsOf(await of.slots());
    expect(result?.content).toMatch(/s1 is not the session of an agent .* Those are: c\w+ \(researcher\)\.$/);
  });

  test('one that comes after the end begins no run', async () => {
    const of = world();
    await of.say('Find out.');
    await of.settle();
    const [child] = childrenOf(of);
    if (!child) throw new Error('no child');
    const event = {
      id: 'sent-late',
      text: 'More.',
      digest: 'd',
      at: of.clock.now(),
      internal: 'parent' as const,
    };
    const told = await of.inbox.accept(child.key, event, of.clock.now());
    if (told.kind === 'accepted') await of.queue.send(told.wake);
    const before = child.run?.id;
    await of.settle();
    const head = [...of.table.heads.values()].find(({ session }) => session.parent);
    expect(head?.session.run).toMatchObject({ id: before, ended: true });
    expect(head?.inbox).toEqual([]);
  });

  test('an agent without agents in the background has no such tool', () => {
    const child = defineAgent({ ...base, name: 'c', system: 'x' });
    const of = (background: boolean) =>
      defineAgent({
        ...base,
        name: 'r',
        system: 'x',
        agents: { c: { agent: child, when: 'x', background } },
      });
    expect(of(false).tools.map(({ name }) => name)).toEqual(['c']);
    expect(of(true).tools.map(({ name }) => name)).toEqual(['c', 'send_to']);
  });
});

describe('a worker that dies, or reaches no service, anywhere', () => {
  const faults: Record<string, Fault> = { killBefore, killAfter, failBefore, failAfter };
  test.each(Object.keys(faults))('sends each message once: %s', { timeout: 60_000 }, async (name) => {
    const fault = faults[name] as Fault;
    const begin = async () => {
      const of = world({
        answers: async (request) => {
          if (!textOf(request).includes('Only in')) await of.clock.sleep(1_000_000);
          return says('Found it.');
        },
      });
      await of.say('Find out.');
      await of.step();
      return of;
    };
    const first = await begin();
    const before = first.faults.total();
    await first.step({
      messageId: first.queue.messages().find(({ wake }) => wake.sessionId === 's1')?.messageId ?? '',
    });
    const all = first.faults.total() - before;
    expect(all).toBeGreaterThan(3);
    for (let nth = 1; nth <= all; nth++) {
      const of = await begin();
      of.faults.atAny(fault, nth);
      for (let i = 0; i < 8; i++) {
        const own = of.queue.messages().filter(({ wake }) => wake.sessionId === 's1');
        const [next] = own;
        if (!next) break;
        if (next.visibleAt > of.clock.now()) await of.clock.advance(next.visibleAt - of.clock.now());
        await of.step({ messageId: next.messageId });
      }
      const sent = [...(of.table.events.get(`acme#${childrenOf(of)[0]?.key.sessionId}`)?.keys() ?? [])];
      const replies = (await of.slots()).flatMap((slot) => (slot.kind === 'tools' ? slot.results : []));
      expect([nth, sent.filter((id) => id.startsWith('sent-')).length]).toEqual([
        nth,
        replies.filter(({ name: tool, outcome }) => tool === 'send_to' && outcome === 'ok').length,
      ]);
    }
  });
});
