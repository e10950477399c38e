import { describe, expect, test } from 'vitest';
import type { ModelRequest } from '../../../shared/agent/ports/provider.ts';
import { isFold } from '../../../shared/agent/session/slots.ts';
import { calls, says } from '../../../testing/scripted-model.ts';
import { answeringFolds } from '../../support/folding-model.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { long, small } from '../step/folds.fixture.ts';
import { textsOf, tool } from '../step/reading.fixture.ts';

const isWork = (text: string) => /\b(?:Deploy|Count|Question)\b/.test(text);

/**
 * A model that works on the first message in the head of a folded context, unless a label says which one is open. In other
 * contexts it answers the newest message.
 */
function worksOn(request: ModelRequest): string | undefined {
  const texts = textsOf(request, 'user');
  const newest = texts.findLast(isWork);
  if (!texts[0]?.startsWith('[steploop]')) return newest;
  if (texts.some((text) => text.startsWith('[steploop] What is OPEN comes below'))) return newest;
  return texts.find((text) => text.startsWith('[steploop] OPEN')) ?? texts.find(isWork);
}

/** Deploys, chats for 22 turns, and counts beans until the context is folded in the middle of that. */
async function beans(context: object) {
  const done: string[] = [];
  const work = { deploy: 0, count: 0 };
  const model = answeringFolds({}, ({ request }) => {
    const wanted = worksOn(request) ?? 'nothing';
    done.push(wanted);
    if (wanted.includes('Deploy') && work.deploy++ === 0) return calls(['deploy', {}]);
    if (wanted.includes('Deploy')) return says('It is deployed.');
    if (wanted.includes('Count') && work.count++ < 7) return calls(['count', { n: work.count }]);
    if (wanted.includes('Count')) return says('There are 700 beans.');
    return says(`An answer. ${long(300)}`);
  });
  const deployed: string[] = [];
  const world = await sessionWorld(
    small(context, {
      tools: [
        tool('deploy', () => {
          deployed.push('staging');
          return 'deployed';
        }),
        tool('count', ({ n }) => `jar ${n}: 100 beans ${long(4_000)}`),
      ],
    }),
    model,
  );
  const says_ = [
    'Deploy the site to staging.',
    ...Array.from({ length: 22 }, (_, i) => `Question ${i}: what is the colour of bean ${i}?`),
    'Count all the beans, jar by jar.',
  ];
  for (const text of says_) {
    await world.say(text);
    await world.settle();
  }
  const slots = await world.slots();
  const folds = slots.filter(isFold);
  const last = model.requests.at(-1);
  return { model, world, deployed, done, folds, last };
}

describe('fold-repeats-first-task', () => {
  test.each([
    ['with a list of what was done', { summary: { maxChars: 0 }, keepToolTurns: 9 }],
    ['with a summary', { keepToolTurns: 9 }],
  ])('fold-repeats-first-task: the open request is last and marked as open, %s', async (_, context) => {
    const { folds, done, deployed, last } = await beans(context);
    const inRun = folds.at(-1);
    expect(folds.length).toBeGreaterThan(0);
    const head = (inRun?.input ?? []).map(({ text }) => text);
    expect(head[0]).toBe(
      '[steploop] Answered and done: the first message of this conversation, word for word:\nDeploy the site to staging.',
    );
    expect(head.at(-1)).toMatch(
      /^\[steploop\] OPEN until .*word for word:\nCount all the beans, jar by jar\.$/,
    );
    expect(head.filter((text) => text.includes('OPEN'))).toHaveLength(1);
    expect(
      head.filter((text) => /^\[steploop\] Answered and done: .*\nQuestion/.test(text)).length,
    ).toBeGreaterThan(3);
    expect(deployed).toEqual(['staging']);
    expect(done.at(-1)).toContain('Count');
    expect(textsOf(last, 'assistant').join()).not.toContain('It is deployed.');
  });

  test('fold-repeats-first-task: a first message that is still worked on is the open one', async () => {
    let counted = 0;
    const model = answeringFolds({}, () =>
      counted++ < 8 ? calls(['count', { n: counted }]) : says('There are 800 beans.'),
    );
    const world = await sessionWorld(
      small(
        { summary: { maxChars: 0 }, keepToolTurns: 9 },
        { tools: [tool('count', ({ n }) => `jar ${n} ${long(4_000)}`)] },
      ),
      model,
    );
    await world.say('Count all the beans.');
    await world.settle();
    const head = (await world.slots()).findLast(isFold)?.input.map(({ text }) => text) ?? [];
    expect(head.at(-1)).toMatch(
      /^\[steploop\] OPEN until .*: the first message of this conversation, word for word:\nCount all/,
    );
    expect(head.filter((text) => text.includes('Count all'))).toHaveLength(1);
  });
});
