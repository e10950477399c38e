import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { followPlan, ONCE } from '../chaos/plan.ts';
import { type Subject, verify } from '../chaos/verify.ts';
import { type Embedded, embedded } from '../support/embedded.ts';
import { ruleModel } from '../support/rule-model.ts';

const { lanesRaised, lanesLowered } = inject('assemblies');
/** Successive deploys, with the number of step queues that each sends to. */
const deploys = [
  { assembly: inject('assembly'), sends: 1 },
  { assembly: lanesRaised, sends: 3 },
  { assembly: lanesLowered, sends: 1 },
];

test('sessions that run while the number of lanes is raised and lowered lose nothing and do nothing twice', {
  timeout: 240_000,
}, async () => {
  const data = await mkdtemp(join(tmpdir(), 'steploop-lanes-'));
  await using model = await ruleModel(followPlan);
  const subjects: Subject[] = [];
  const onceStarts: string[] = [];
  /** Number of step queues that each deploy has sent to. */
  const used: number[] = [];
  try {
    for (const [i, { assembly, sends }] of deploys.entries()) {
      const urls = new Set<string>();
      await using world: Embedded = await embedded({
        model,
        data,
        leaseSeconds: 3,
        assembly,
        wire: {
          async after({ operation, body }) {
            const url = operation === 'SendMessage' ? JSON.parse(body).QueueUrl : '';
            if (/Wakes|-steps-/.test(url)) urls.add(url);
          },
        },
      });
      // A session's queue is random, so sessions are started until every queue is used. With 40 sessions, one in
      // millions of runs would leave a queue unused.
      for (let n = 0; n < 6 || (urls.size < sends && n < 40); n++) {
        const { body } = await world.api('POST', '/sessions', {
          agent: 'worker',
          message: 'plan look,pay|save|pay,look|save',
        });
        subjects.push({ id: body.sessionId, accepted: [body.eventId], refused: [] });
      }
      // The first two deploys are replaced while their sessions run. Lanes that are about to go are drained.
      if (i === deploys.length - 1) {
        for (const { id } of subjects) await world.atRest(id, 60);
        const wrong = await Promise.all(subjects.map((subject) => verify(world, subject)));
        expect(wrong.flat()).toEqual([]);
        for (const { id } of subjects) expect(await world.session(id)).toMatchObject({ state: 'completed' });
      }
      for (const { name, idempotencyKey } of world.toolStarts)
        if (ONCE.includes(name)) onceStarts.push(idempotencyKey);
      used.push(urls.size);
    }
  } finally {
    await rm(data, { recursive: true, force: true });
  }
  expect(new Set(onceStarts).size).toBe(onceStarts.length);
  expect(used).toEqual(deploys.map(({ sends }) => sends));
});
