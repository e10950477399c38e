import { expect, test } from 'vitest';
import { accept, openSession } from '../../../shared/agent/entrypoints/accept.ts';
import { keepSent } from '../../../shared/agent/media/keep.ts';
import type { Ports } from '../../../shared/agent/ports/ports.ts';
import type { Attachment } from '../../../shared/agent/session/attachments.ts';
import { type Fault, failAfter, failBefore, killAfter, killBefore } from '../../../testing/faults.ts';
import { type Scripted, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { type SessionWorld, sessionWorld } from '../../support/session-world.ts';
import { answersIn, endings, textsOf } from '../step/reading.fixture.ts';
import { asksFor, filesOf, reads } from './files.fixture.ts';

/** The model reads the files that were sent with its message. */
const answers: Scripted = ({ request }) =>
  answersIn(request).length === 0 ? asksFor(['read', { path: 'docs/b' }]) : says('Done.');

const files = { a: 'alpha', 'docs/b': 'beta', large: 'more than there is room for' };

/** A message with files, as the edge accepts it: their content is stored first, and then the message. */
async function send(world: SessionWorld, io: Ports): Promise<void> {
  const agent = world.agentOf('test');
  if (!agent) throw new Error('there is no agent');
  await openSession(world.key, agent, async () => undefined, io);
  const attachments: Attachment[] = [];
  for (const [path, text] of Object.entries(files)) {
    const bytes = new TextEncoder().encode(text);
    const kept = await keepSent({ name: path, as: 'file', bytes, path }, world.key, 1_000, io.blobs);
    if (typeof kept === 'string') throw new Error(kept);
    attachments.push(kept);
  }
  await accept(world.key, { eventId: 'e1', text: 'Read them.', attachments }, io);
}

async function run(fault?: Fault, nth = 0) {
  const model = scriptedModel(...Array.from({ length: 9 }, () => answers));
  const limits = { workspace: { bytes: 10 } };
  const world = await sessionWorld({ tools: [reads()], limits }, model);
  if (fault) world.faults.atAny(fault, nth);
  const sending = send(world, world.faults.host(world).ports).catch(() => {});
  await Promise.race([sending, world.clock.advance(1_000)]);
  // A client without an answer sends it again.
  if (fault) await send(world, world);
  await world.settle();
  return { world, model, calls: world.faults.total() };
}

const { calls } = await run();

test.each<[string, Fault]>([
  ['dies before', killBefore],
  ['dies after', killAfter],
  ['cannot reach a service before', failBefore],
  ['gets no answer after', failAfter],
])(
  'a message with files is accepted once, with all of them, if its worker %s any call of any service',
  async (_what, fault) => {
    for (let nth = 1; nth <= calls; nth += 1) {
      const { world, model } = await run(fault, nth);
      expect([nth, endings(await world.events())]).toMatchObject([nth, [{ state: 'completed' }]]);
      expect([nth, await filesOf(world)]).toEqual([nth, { a: 'alpha', 'docs/b': 'beta' }]);
      const [first, ...later] = (await world.slots()).flatMap((slot) =>
        slot.kind === 'model' ? slot.input : [],
      );
      expect([nth, first?.eventId, first?.attachments?.map(({ path }) => path)]).toEqual([
        nth,
        'e1',
        Object.keys(files),
      ]);
      expect([nth, later.map(({ internal }) => internal?.reason)]).toEqual([nth, ['files']]);
      // The model is called only when they are there.
      for (const request of model.requests)
        expect([nth, textsOf(request, 'user').at(-1)]).toEqual([nth, expect.stringMatching(/"large"/)]);
      const [read] = answersIn(model.requests.at(-1)).map(({ content }) => String(content));
      // Or the store was unreachable at that moment.
      expect([nth, read]).toEqual([nth, expect.stringMatching(/^beta$|the request/)]);
    }
  },
);
