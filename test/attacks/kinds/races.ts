/** Two users who race for a new id: it belongs to one of them, and the other is told nothing of it. */

import { expect, test } from 'vitest';
import { attempt } from '../attempts.ts';
import type { Call, Target } from '../target.ts';

const RACES = 40;
/** Races that run at once. */
const AT_ONCE = 10;

const doors: readonly [
  string,
  begin: (call: Call, id: string, words: string) => Promise<{ status: number }>,
][] = [
  [
    'AG-UI',
    (call, threadId, content) =>
      call('POST', '/agui/worker', {
        ...{ threadId, runId: 'r' },
        messages: [{ id: content, role: 'user', content }],
      }),
  ],
  [
    'chat',
    (call, id, text) =>
      call('POST', '/chat/worker', {
        id,
        messages: [{ id: text, role: 'user', parts: [{ type: 'text', text }] }],
      }),
  ],
];

export function races(it: () => Target): void {
  test.each(doors)(
    `of ${RACES} races over %s none lets both in`,
    { timeout: 180_000 },
    async (door, begin) => {
      const names = ['ada', 'bob'] as const;
      const calls = await Promise.all(names.map((name) => it().user(name)));
      const race = async (n: number) => {
        attempt('races for an id');
        const id = `race-${door}-${n}`;
        const both = await Promise.all(calls.map((call, at) => begin(call, id, `I am ${names[at]}`)));
        expect(both.map(({ status }) => status).sort(), id).toEqual([200, 404]);
        const winner = both.findIndex(({ status }) => status === 200);
        // Their statuses tell of each race; what is read afterwards is looked at in some.
        if (n % AT_ONCE > 0) return;
        const read = (at: number) => calls[at]?.('GET', `/sessions/${id}/messages`);
        expect(
          (await read(winner))?.body.messages.map(({ content }: { content: string }) => content),
        ).toEqual([`I am ${names[winner]}`, 'Done.']);
        expect(await read(1 - winner)).toMatchObject({ status: 404 });
      };
      for (let n = 0; n < RACES; n += AT_ONCE)
        await Promise.all(Array.from({ length: AT_ONCE }, (_, more) => race(n + more)));
    },
  );
}
