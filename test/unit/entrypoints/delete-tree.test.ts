import { describe, expect, test } from 'vitest';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { askUser } from '../../../shared/agent/define/ask-user.ts';
import { deleteTree } from '../../../shared/agent/entrypoints/delete-tree.ts';
import { makeFork } from '../../../shared/agent/entrypoints/fork.ts';
import { type AgentWorld, agentWorld } from '../../../testing/agent-world.ts';
import { answeringModel, calls, type Scripted, says } from '../../../testing/scripted-model.ts';

const base = { version: '1', model: { name: 'm', price: { input: 1, output: 5 } } } as const;
const leaf = defineAgent({ ...base, name: 'leaf', system: 'Level 2.', tools: [askUser] });
const lead = defineAgent({
  ...base,
  name: 'lead',
  system: 'Level 1.',
  agents: { leaf: { agent: leaf, when: 'w' } },
});
const root = defineAgent({
  ...base,
  name: 'root',
  system: 'Level 0.',
  agents: { lead: { agent: lead, when: 'w' } },
});
const asks: Readonly<Record<string, Scripted>> = {
  'Level 0.': calls(['lead', { task: 'a' }], ['lead', { task: 'b' }]),
  'Level 1.': calls(['leaf', { task: 'c' }]),
};

/** A tree of five sessions, which has ended. */
async function tree(last: Scripted = says('Found.')): Promise<AgentWorld> {
  const world = agentWorld(
    root,
    answeringModel((about) => {
      const { system, messages } = about.request;
      const asked = JSON.stringify(messages).includes('tool_result') ? says('Done.') : (asks[system] ?? last);
      return typeof asked === 'function' ? asked(about) : asked;
    }),
  );
  await world.say('Go.');
  await world.settle();
  return world;
}

const left = ({ table }: AgentWorld) => [...table.heads.values()].map(({ session }) => session.agent);
const remove = (world: AgentWorld) => deleteTree(world.key, world.clock.now(), world);

describe('the deletion of a session', () => {
  test('deletes those that its calls have begun, at every level', async () => {
    const world = await tree();
    expect(left(world).sort()).toEqual(['lead', 'lead', 'leaf', 'leaf', 'root']);
    expect(await remove(world)).toEqual({ kind: 'buried' });
    expect(left(world)).toEqual([]);
  });

  test('deletes none while its own run is going or waiting', async () => {
    const world = await tree(calls(['ask_user', { question: 'Which?' }]));
    expect(await remove(world)).toEqual({ kind: 'busy' });
    expect(left(world)).toHaveLength(5);
  });

  test('finds the others again when an earlier request was cut short', async () => {
    const world = await tree();
    let buried = 0;
    const graves = {
      bury: (...asked: Parameters<typeof world.graves.bury>) => {
        if (++buried === 3) throw new Error('throttled');
        return world.graves.bury(...asked);
      },
    };
    await expect(deleteTree(world.key, world.clock.now(), { ...world, graves })).rejects.toThrow('throttled');
    expect(left(world)).toContain('root');
    expect(await remove(world)).toEqual({ kind: 'buried' });
    expect(left(world)).toEqual([]);
  });

  test('stops one that people have given more work, and is refused until it has ended', async () => {
    const world = await tree();
    const child = [...world.table.heads.values()].find(({ session }) => session.agent === 'lead')?.session
      .key;
    if (!child) throw new Error('there is no child');
    const event = { id: 'more', text: 'More.', digest: 'd', at: world.clock.now() };
    await world.inbox.accept(child, event, world.clock.now());
    expect(await remove(world)).toEqual({ kind: 'working', child: child.sessionId });
    await world.queue.send(child);
    await world.settle();
    expect(await remove(world)).toEqual({ kind: 'buried' });
    expect(left(world)).toEqual([]);
  });

  test('leaves the sessions of the conversation that a fork shares', async () => {
    const world = await tree();
    const { session } = await world.view();
    const asked = { forkId: 'f1', asked: 'a', by: 'user:ada', title: 't', user: undefined };
    await makeFork(session, session.version, asked, world);
    const fork = { ...world.key, sessionId: 'f1' };
    expect(await deleteTree(fork, world.clock.now(), world)).toEqual({ kind: 'buried' });
    expect(left(world)).toHaveLength(5);
  });
});
