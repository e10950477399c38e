/**
 * The sample `agents/samples/operations`: an MCP server, memory, and an answer that arrives after a restart of the
 * whole stack.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { outside } from '../../agents/samples/operations/outside.ts';
import type { Ports } from '../../local/stack/options.ts';
import { env } from '../../shared/contract/env.ts';
import { type Embedded, embedded } from '../support/embedded.ts';
import { callTools, ruleModel, sayText } from '../support/rule-model.ts';

const fact = 'checkout: its pool of connections ran out; a restart by runbook mended it.';

/** The replies of a model that follows the agent's instructions, by turn. */
const script = [
  () => callTools(['search_memory', { query: 'checkout' }]),
  () => callTools(['monitor__list_alarms', {}], ['monitor__service_status', { service: 'checkout' }]),
  () => callTools(['restart_service', { service: 'checkout', reason: 'no connection left in the pool' }]),
  () => callTools(['monitor__service_status', { service: 'checkout' }]),
  () => callTools(['save_memory', { fact }]),
  () => sayText('The pool of checkout had run out. It was restarted, and is up.'),
];

test('an operations agent waits for a runbook across a restart of the stack, and later knows what it has learned', {
  timeout: 180_000,
}, async () => {
  await using monitor = await outside();
  await using model = await ruleModel(({ turn, messages }) => {
    if (JSON.stringify(messages[0]).includes('again')) {
      return turn === 0 ? callTools(['search_memory', { query: 'checkouts' }]) : sayText('I know it.');
    }
    return script[turn]?.() ?? sayText('Done.');
  });
  const data = await mkdtemp(join(tmpdir(), 'steploop-operations-'));
  const url = `http://127.0.0.1:${monitor.port}`;
  const variables = {
    [env.SETTINGS]: JSON.stringify({ MONITOR_URL: `${url}/mcp`, RUNBOOKS_URL: `${url}/runbooks` }),
  };
  const start = (ports?: Ports) => embedded({ model, variables, data, ...(ports && { ports }) });
  const begin = async (world: Embedded, message: string): Promise<string> =>
    (await world.api('POST', '/sessions', { agent: 'operations', message })).body.sessionId;

  let id: string;
  let ports: Ports;
  {
    await using world = await start();
    ports = world.stack.ports;
    id = await begin(world, 'checkout answers 5xx');
    const asked = (await world.atRest(id)) as unknown as { state: string; waits: { id: string }[] };
    expect(asked).toMatchObject({
      state: 'waiting_for_input',
      waits: [
        {
          kind: 'approval',
          tool: 'restart_service',
          message: expect.stringContaining('service: "checkout"'),
        },
      ],
    });
    expect(monitor.restarts).toEqual([]);
    const decision = { id: asked.waits[0]?.id, approved: true };
    expect((await world.api('POST', `/sessions/${id}/decisions`, decision)).status).toBe(202);
    while (monitor.restarts.length === 0) await pause(50);
    await waitsForTheRunbook(world, id);
  }

  {
    await using world = await start(ports);
    await waitsForTheRunbook(world, id);
    const [restart] = monitor.restarts;
    if (!restart) throw new Error('nothing was restarted');
    await monitor.finish(restart);
    await world.becomes(id, 'completed');
    expect(monitor.restarts).toMatchObject([{ service: 'checkout', askedBy: 'operator' }]);

    const results = (await world.messages(id)).flatMap((message) =>
      message.role === 'tool' ? [String(message.content)] : [],
    );
    expect(results).toEqual([
      'Nothing has been saved yet.',
      expect.stringContaining('checkout answers 5xx'),
      expect.stringContaining('down'),
      expect.stringContaining('"restarted":true'),
      expect.stringContaining('its restart'),
      expect.stringContaining(fact),
    ]);
    const offered = ((model.asked[0]?.body.tools ?? []) as { name: string }[]).map(({ name }) => name);
    expect(offered).not.toContain('monitor__delete_service');

    const next = await begin(world, 'checkout is down again');
    expect(await world.atRest(next)).toMatchObject({ state: 'completed' });
    expect(JSON.stringify(await world.messages(next))).toContain('a restart by runbook mended it');
    const { body } = await world.api('GET', '/memories?scope=tenant');
    expect(body.memories).toMatchObject([{ text: fact, sessionId: id, by: ['operator'] }]);
  }
  await rm(data, { recursive: true, force: true });
});

async function waitsForTheRunbook(world: Embedded, id: string): Promise<void> {
  for (let waits = ''; waits !== 'awaiting_callback'; await pause(50))
    waits = String((await world.session(id)).reason);
}
