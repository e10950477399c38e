import { afterEach, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { readTolerantly } from '../../../shared/slack/tolerant.ts';
import { slackApp } from '../../support/slack-app.ts';
import * as recorded from '../../support/slack-recordings.ts';

const { USER } = recorded;
afterEach(() => vi.restoreAllMocks());

const Body = z.object({
  id: z.string(),
  n: z.number().optional(),
  text: z.string().max(5).optional(),
  list: z
    .array(z.object({ id: z.string(), size: z.number().nullish() }))
    .max(3)
    .optional(),
});

test.for([
  ['nothing is odd', { id: 'a', n: 1 }, { id: 'a', n: 1 }, []],
  ['a number is a text', { id: 'a', n: '1' }, { id: 'a' }, ['n: string']],
  ['a text is too long', { id: 'a', text: 'abcdefgh' }, { id: 'a', text: 'abcde' }, ['text: string']],
  [
    'a field of an element',
    { id: 'a', list: [{ id: 'x', size: '9' }] },
    { id: 'a', list: [{ id: 'x' }] },
    ['list.0.size: string'],
  ],
  [
    'elements that lack their id',
    { id: 'a', list: [{ size: 1 }, { id: 'y' }, 7] },
    { id: 'a', list: [{ id: 'y' }] },
    ['list.0.id: undefined', 'list.2: number'],
  ],
  [
    'a list is too long',
    { id: 'a', list: [1, 2, 3, 4].map((n) => ({ id: String(n) })) },
    { id: 'a', list: [1, 2, 3].map((n) => ({ id: String(n) })) },
    ['list: list'],
  ],
  ['what it needs is odd', { id: 5 }, undefined, ['id: number', 'id: undefined']],
  ['it is no object', 'x', undefined, [': string']],
] as const)('if %s, the rest is read', ([, body, value, odd]) => {
  expect(readTolerantly(Body, body)).toEqual({ ...(value && { value }), odd });
});

test.for([
  ['a file', { files: [{ id: 'F1', size: 'big', name: 7 }] }],
  ['the files', { files: 'none' }],
  ['an attachment', { attachments: [{ fields: 'x', text: 'kept' }, null] }],
  ['a block', { blocks: [{ type: 5 }, 'x'] }],
  ['the team', { team: { id: 'T1' }, user_team: 'lower case' }],
  ['the kind of channel', { channel_type: 9 }],
  ['edits', { edited: 'yes' }],
] as const)(
  'a mention whose field for %s is odd is heard, and the shape is logged without its content',
  async ([, over]) => {
    const warned: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((line) => warned.push(String(line)) > 0);
    const it = await slackApp();
    await it.event(recorded.appMention({ text: `<@${recorded.BOT}> do it`, ...over }));
    await it.work();
    const [{ texts } = { texts: [] }] = await it.inboxes();
    expect(texts[0]).toContain(`Slack message from <@${USER}>:\n\ndo it`);
    expect(warned.join('')).toMatch(/an event of Slack has odd fields.*"odd":"\w+/);
    expect(warned.join('')).not.toMatch(/none|lower case|big/);
  },
);

test('a text that is too long is cut, and heard', async () => {
  const it = await slackApp();
  await it.event(recorded.directMessage({ text: 'x'.repeat(150_000) }));
  const [{ texts } = { texts: [] }] = await it.inboxes();
  expect(texts[0]?.length).toBeGreaterThan(90_000);
});

test('an odd field of the envelope does not lose the message, and an event that is not read is acknowledged', async () => {
  const it = await slackApp();
  expect(await it.event(recorded.appMention(), { authorizations: 'x', event_time: 'now' })).toMatchObject({
    statusCode: 200,
  });
  expect(await it.inboxes()).toHaveLength(1);
  expect(await it.event({ type: 'reaction_added', user: 7 })).toMatchObject({ statusCode: 200 });
});
