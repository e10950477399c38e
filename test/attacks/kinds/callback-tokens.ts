import { beforeAll, describe, expect, test } from 'vitest';
import { attempt } from '../attempts.ts';
import { raw, type Target } from '../target.ts';

/** Variants of a token of which an attacker has seen a part. */
const altered: readonly [what: string, token: (good: string) => string][] = [
  ['all but its last letter', (good) => good.slice(0, -1)],
  ['one letter more', (good) => `${good}a`],
  ['another last letter', (good) => good.slice(0, -1) + (good.endsWith('a') ? 'b' : 'a')],
  ['capitals', (good) => good.toUpperCase()],
  ['no prefix', (good) => good.replace('slt_', '')],
  ['another prefix', (good) => good.replace('slt_', 'sl_')],
  ['its letters backwards', (good) => [...good].reverse().join('')],
  ['a line break behind it', (good) => `${good}%0a`],
  ['a zero byte behind it', (good) => `${good}%00`],
  ['a folder before it', (good) => `..%2f${good}`],
  ['a separator of keys in it', (good) => `${good}%23HEAD`],
  ['letters that look alike', (good) => good.replace('s', '%D1%95')],
  ['nothing of it', () => `slt_${'0'.repeat(52)}`],
  ['the name of a prototype', () => '__proto__'],
];

export function callbackTokens(it: () => Target): void {
  describe('a token of a call that is answered later', () => {
    let url = '';
    let token = '';
    const base = () => it().world.stack.outputs.HttpUrl;
    const answer = (path: string, body: unknown) => raw(base(), 'POST', path, { body: JSON.stringify(body) });
    beforeAll(async () => {
      await it().rested(await it().user('ada'), 'export');
      const start = it().world.toolStarts.findLast(({ name }) => name === 'export');
      url = new URL(String(Reflect.get(Object(start?.input), 'url'))).pathname;
      token = url.split('/').at(-1) ?? '';
    });

    test.each(altered)('with %s answers nothing, and is told no progress', async (_what, alter) => {
      for (const [suffix, body] of [
        ['', { result: 1 }],
        ['/progress', { message: 'm' }],
      ] as const) {
        attempt('altered callback tokens');
        const { status, text } = await answer(`/callbacks/${alter(token)}${suffix}`, body);
        expect([status, JSON.parse(text).title]).toEqual([404, 'No such callback']);
      }
    });

    test('as it was given answers once; a replay changes nothing, and another answer is too late', async () => {
      attempt('replays', 2);
      expect(await answer(url, { result: 1 })).toMatchObject({ status: 202 });
      expect(await answer(url, { result: 1 })).toMatchObject({ status: 200 });
      expect(await answer(url, { result: 2 })).toMatchObject({ status: 410 });
    });
  });
}
