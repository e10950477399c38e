import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { followPlan, ONCE } from '../chaos/plan.ts';
import { type Subject, verify } from '../chaos/verify.ts';
import { type Embedded, embedded } from '../support/embedded.ts';
import { ruleModel } from '../support/rule-model.ts';

const { lanesRaised, lanesLowered } = inject('assemblies');
/** Deploys, one after the other, with how many queues of steps each sends to. */
const deploys = [
  { assembly: inject('assembly'), sends: 1 },
  { assembly: lanesRaised, sends: 3 },
  { assembly: lanesLowered, sends: 1 },
];

test('sessions that run while their number is raised and lowered lose nothing and do nothing twice', {
  timeout: 240_000,
}, async () => {
  const data = await mkdtemp(join(tmpdir(), 'steploop-lanes-'));
  await using model = await ruleModel(followPlan);
  const subjects: Subject[] = [];
  const onceStarts: string[] = [];
  /** Queues of steps that each deploy has sent to. */
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
      // A session's queue is by chance: so many more that no queue is left out, of which 40 would once in millions.
      for (let n = 0; n < 6 || (urls.size < sends && n < 40); n++) {
        const { body } = await world.api('POST', '/sessions', {
          agent: 'worker',
          message: 'plan look,pay|save|pay,look|save',
        });
        subjects.push({ id: body.sessionId, accepted: [body.eventId], refused: [] });
      }
      // The first two are redeployed over while their sessions run; what is in lanes that are to go is worked off.
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
