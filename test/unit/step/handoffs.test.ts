import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { defineDeployment } from '../../../shared/agent/define/deployment.ts';
import { defineTool } from '../../../shared/agent/define/tool.ts';
import { openSession } from '../../../shared/agent/entrypoints/accept.ts';
import { makeFork } from '../../../shared/agent/entrypoints/fork.ts';
import { MAX_HANDOFFS } from '../../../shared/agent/session/handoffs.ts';
import { agentWorld } from '../../../testing/agent-world.ts';
import { type Fault, failAfter, failBefore, killAfter, killBefore } from '../../../testing/faults.ts';
import { rehearse } from '../../../testing/rehearse.ts';
import {
  answeringModel,
  calls,
  type Scripted,
  says,
  scriptedModel,
} from '../../../testing/scripted-model.ts';
import { strictModel } from '../../support/strict-model.ts';
import { resultsOf } from './reading.fixture.ts';

const base = { version: '1', model: { name: 'm', price: { input: 1, output: 5 } } } as const;
const refund = defineTool({
  name: 'refund',
  description: 'Pays back.',
  input: z.object({ cents: z.int() }),
  effect: 'once',
  approval: 'never',
  run: ({ cents }) => `refunded ${cents}`,
});
const billing = defineAgent({
  ...base,
  name: 'billing',
  system: 'You settle invoices.',
  tools: [refund],
  handoffs: { back: { agent: 'triage', when: 'Everything else.' } },
});
const triage = defineAgent({
  ...base,
  name: 'triage',
  system: 'You find out what is asked.',
  handoffs: { to_billing: { agent: billing, when: 'Invoices and refunds.' } },
});
const hands = calls(['to_billing', { note: 'Invoice 7 was paid twice.' }]);
const back = calls(['back', { note: 'Not an invoice.' }]);
const world = (...script: readonly Scripted[]) => agentWorld(triage, scriptedModel(...script));
type World = ReturnType<typeof world>;
const toldOf = async (at: World) =>
  (await at.events()).flatMap((event) =>
    event.type === 'CUSTOM' && event.name === 'steploop.handoff' ? [event.value] : [],
  );

describe('a handoff', () => {
  test('gives the conversation to another agent, which goes on under its own definition', async () => {
    const at = world(
      hands,
      calls(['refund', { cents: 700 }]),
      says('You get 7 back.'),
      says('You are welcome.'),
    );
    await at.say('I was charged twice.', undefined, 'user:ada');
    await at.settle();
    const [first, second] = at.model.requests;
    expect(first).toMatchObject({ system: triage.system, tools: [{ name: 'to_billing' }] });
    expect(second?.system).toBe(billing.system);
    expect(second?.tools.map(({ name }) => name)).toEqual(['refund', 'back']);
    const read = JSON.stringify(second?.messages);
    expect(read).toContain('I was charged twice.');
    expect(read).toContain('You are billing now: triage has handed this conversation to you.');
    expect(read).toContain('Invoice 7 was paid twice.');
    const { session } = await at.view();
    expect(session).toMatchObject({ agent: 'billing', state: 'completed' });
    expect(session.run).toMatchObject({ steps: 3, toolCalls: 2, handoffs: 1 });
    expect(await toldOf(at)).toMatchObject([{ from: 'triage', to: 'billing' }]);

    await at.say('Thanks.', undefined, 'user:ada');
    await at.settle();
    expect(at.model.requests.at(-1)?.system).toBe(billing.system);
  });

  const providers = ['anthropic', 'openai', 'openai-responses', 'bedrock-converse', 'gemini'] as const;
  test.each(providers.flatMap((from) => providers.map((to) => [from, to] as const)))(
    'from a model of %s to one of %s without tools is taken by its server',
    async (from, to) => {
      const model = (provider: (typeof providers)[number]) => ({ ...base.model, provider });
      const last = defineAgent({ ...base, name: 'last', system: 's', model: model(to) });
      const first = defineAgent({
        ...base,
        name: 'first',
        system: 's',
        model: model(from),
        handoffs: { over: { agent: last, when: 'w' } },
      });
      const at = agentWorld(first, strictModel(scriptedModel(calls(['over', { note: 'n' }]), says('Done.'))));
      await at.say('Pay.');
      await at.settle();
      expect((await at.view()).session).toMatchObject({ agent: 'last', state: 'completed' });
    },
  );

  test('keeps the session reachable under the agent that it was begun with', async () => {
    const at = world(hands, says('Done.'));
    await at.say('Pay.');
    await at.settle();
    const open = (agent: typeof triage) => openSession(at.key, agent, async () => undefined, at);
    expect(await open(triage)).toBe('exists');
    expect(await open(billing)).toBe('exists');
    expect(await open(defineAgent({ ...base, name: 'other', system: 's' }))).toBe('other_agent');
  });

  test('is refused when it names nothing, and twice in one reply', async () => {
    const at = world(
      calls(['to_billing', { note: '' }]),
      calls(['to_billing', { note: 'one' }], ['to_billing', { note: 'two' }]),
      says('Done.'),
    );
    await at.say('Pay.');
    await at.settle();
    const results = resultsOf(await at.slots());
    expect(results.map(({ outcome }) => outcome)).toEqual(['refused', 'ok', 'refused']);
    expect(results[0]?.content).toContain('{ "note": "…" }');
    expect(results[2]?.content).toContain('an earlier call of this reply');
    expect((await at.view()).session.handoffs).toHaveLength(1);
  });

  test('is refused after so many of one run that agents pass the request back and forth', async () => {
    const script = Array.from({ length: MAX_HANDOFFS + 1 }, (_, i) => (i % 2 === 0 ? hands : back));
    const at = world(...script, says('I answer it myself.'));
    await at.say('What?');
    await at.settle();
    const results = resultsOf(await at.slots());
    expect(results.map(({ outcome }) => outcome)).toEqual([...Array(MAX_HANDOFFS).fill('ok'), 'refused']);
    expect(results.at(-1)?.content).toContain('handed over 5 times without an answer');
    expect((await at.view()).session).toMatchObject({ agent: 'billing', state: 'completed' });
  });

  test('ends permissions for later calls, which were given for the tools of the agent before', async () => {
    const asking = { ...refund, approval: 'always' as const };
    const other = defineAgent({ ...base, name: 'other', system: 's', tools: [asking] });
    const first = defineAgent({
      ...base,
      name: 'first',
      system: 's',
      tools: [asking],
      handoffs: { over: { agent: other, when: 'w' } },
    });
    const at = agentWorld(
      first,
      scriptedModel(
        calls(['refund', { cents: 1 }]),
        calls(['over', { note: 'n' }]),
        calls(['refund', { cents: 1 }]),
        says('Done.'),
      ),
    );
    await at.say('Pay.');
    await at.settle();
    const [wait] = (await at.view()).session.batch?.waits ?? [];
    await at.sessions.decide(at.key, wait?.id ?? '', {
      approved: true,
      by: 'user:ada',
      at: at.clock.now(),
      grant: { for: 'session', match: 'tool' },
    } as never);
    await at.queue.send(at.key);
    await at.settle();
    const { session } = await at.view();
    expect(session).toMatchObject({
      agent: 'other',
      state: 'waiting_for_input',
      reason: 'awaiting_approval',
    });
  });

  test('leaves a fork from before it to the agent that had the session then', async () => {
    const at = world(says('Hello.'), hands, says('Done.'));
    await at.say('Hello.');
    await at.settle();
    const before = (await at.view()).session.version;
    await at.say('Pay.');
    await at.settle();
    const { session } = await at.view();
    const asked = { forkId: 'f1', user: undefined, asked: 'a', by: 'user:ada', title: 't' };
    const early = await makeFork(session, before, asked, at);
    expect(early).toMatchObject({ agent: 'triage', definition: session.handoffs?.[0]?.definition });
    const late = await makeFork(session, session.version, { ...asked, forkId: 'f2' }, at);
    expect(late).toMatchObject({ agent: 'billing', definition: session.definition });
  });
});

describe('a worker that dies, or reaches no service, anywhere', () => {
  const faults: Record<string, Fault> = { killBefore, killAfter, failBefore, failAfter };
  test.each(Object.keys(faults))('hands over once: %s', { timeout: 60_000 }, async (name) => {
    const play = async (nth?: number) => {
      const model = answeringModel(({ request: { system, messages } }) => {
        if (system === triage.system) return hands;
        return JSON.stringify(messages).includes('refunded 7')
          ? says('Done.')
          : calls(['refund', { cents: 7 }]);
      });
      const at = agentWorld(triage, model);
      await at.say('Pay.', undefined, 'user:ada');
      if (nth !== undefined) at.faults.atAny(faults[name] as Fault, nth);
      await at.settle();
      const { session } = await at.view();
      expect([nth, session.agent, session.state]).toEqual([nth, 'billing', 'completed']);
      expect([nth, session.handoffs?.length, session.run?.handoffs]).toEqual([nth, 1, 1]);
      return at.faults.total();
    };
    const all = await play();
    for (let nth = 1; nth <= all; nth++) await play(nth);
  });
});

describe('a rehearsal', () => {
  test('plays the team of an agent, with fakes for the tools of all', async () => {
    const run = await rehearse(billing, {
      user: 'Where is my parcel?',
      agents: [triage],
      model: [back, hands, calls(['refund', { cents: 7 }]), says('Done.')],
      tools: { refund: () => 'a fake' },
    });
    expect(run.calls.map(({ name, content }) => `${name}: ${content.slice(0, 14)}`)).toEqual([
      'back: You are triage',
      'to_billing: You are billin',
      'refund: a fake',
    ]);
    expect(run.starts.map(({ name }) => name)).toEqual(['refund']);
  });
});

describe('a definition', () => {
  test('names each agent of the deployment that a session may be given to', () => {
    expect(() => defineDeployment({ agents: [triage] })).toThrow(
      "agent triage, handoffs.to_billing.agent: billing is not one of the deployment's agents",
    );
    const self = defineAgent({
      ...base,
      name: 'self',
      system: 's',
      handoffs: { on: { agent: 'self', when: 'w' } },
    });
    expect(() => defineDeployment({ agents: [self] })).toThrow('an agent cannot hand over to itself');
    expect(() => defineDeployment({ agents: [triage, billing] })).not.toThrow();
  });
});
