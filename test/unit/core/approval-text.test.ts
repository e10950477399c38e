/** The text that a person reads before they approve a call, for inputs that are made to mislead them. */

import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { brokenRule } from '../../../local/slack/emulated/message-rules.ts';
import { defineTool } from '../../../shared/agent/define/tool.ts';
import { approvalOf, asksItself, roomFor } from '../../../shared/agent/tools/asking.ts';
import { askBefore, ask as slackAsk } from '../../../shared/slack/blocks.ts';

const payment = z.object({
  memo: z.string(),
  to: z.string(),
  amount: z.number(),
  currency: z.string().default('EUR'),
});
const anything = z.record(z.string(), z.unknown());

/** The request for approval of a call of `transfer` with this input, among so many calls. */
function asked(input: unknown, schema: z.ZodType = anything, calls = 1) {
  const tool = defineTool({
    name: 'transfer',
    description: 'd',
    effect: 'once',
    input: schema,
    run: () => 1,
  });
  const call = { id: 'c1', name: 'transfer', input };
  const ask = approvalOf(call, tool, { rule: 'effect' }, roomFor(calls));
  if (!ask) throw new Error('there is no approval request');
  return { ...ask, lines: ask.message.split('\n') };
}

describe('a request for approval', () => {
  test('shows the input that will be executed: defaults are filled in, unknown keys are removed', () => {
    const { message, cut } = asked({ memo: 'rent', to: 'bob', amount: 5, note: 'unknown' }, payment);
    expect(message).toBe('transfer\nmemo: "rent"\nto: "bob"\namount: 5\ncurrency: "EUR"');
    expect(cut).toBe(false);
  });

  test('shows `to` and `amount` behind a memo of 5,000 characters, and says how long that is', () => {
    const { lines, cut } = asked({ memo: 'x'.repeat(5_000), to: 'mallory', amount: 9_000 }, payment);
    expect(lines.slice(2)).toEqual(['to: "mallory"', 'amount: 9000', 'currency: "EUR"']);
    expect(lines[1]).toMatch(/^memo \(cut: 600 of 5,000 characters\): "x{600}" …$/);
    expect(cut).toBe(true);
  });

  test.each<[string, unknown, string]>([
    ['an end of line', 'a\namount: 1', String.raw`"a\namount: 1"`],
    ['other ends of lines', 'a\r\u0085\u2028\u2029b', String.raw`"a\r\u{85}\u{2028}\u{2029}b"`],
    ['quotes and escapes', String.raw`a" amount: "\n`, String.raw`"a\" amount: \"\\n"`],
    ['a direction override', '\u202eelpmaxe\u202c', String.raw`"\u{202e}elpmaxe\u{202c}"`],
    [
      'direction isolates and marks',
      '\u2066a\u2069\u200f\u061c',
      String.raw`"\u{2066}a\u{2069}\u{200f}\u{61c}"`,
    ],
    ['zero-width characters', 'a\u200b\u200d\ufeff\u00adb', String.raw`"a\u{200b}\u{200d}\u{feff}\u{ad}b"`],
    ['fillers that are letters', 'a\u3164\u115f\u2800b', String.raw`"a\u{3164}\u{115f}\u{2800}b"`],
    ['blanks that are not spaces', 'a\u00a0\u3000\u2003b', String.raw`"a\u{a0}\u{3000}\u{2003}b"`],
    ['control characters', '\u001b[2Ja\u0000\u0007\u009b', String.raw`"\u{1b}[2Ja\u{0}\u{7}\u{9b}"`],
    ['half a surrogate pair', 'a\ud800b', String.raw`"a\u{d800}b"`],
    [
      'private and unassigned characters',
      '\ue000\u{e0041}\u{fffff}',
      String.raw`"\u{e000}\u{e0041}\u{fffff}"`,
    ],
    ['marks that cross a number out', '10\u0336\u20dd0', String.raw`"10\u{336}\u{20dd}0"`],
    ['marks without a letter', '\u0301a', String.raw`"\u{301}a"`],
    ['a tower of marks', `a${'\u0301'.repeat(6)}`, `"a${'\u0301'.repeat(4)}${String.raw`\u{301}\u{301}`}"`],
    ['spaces that push the rest away', `a${' '.repeat(5)}b`, String.raw`"a   \u{20}\u{20}b"`],
    ['letters of many scripts', 'Grüße, мир, 你好, नमस्ते, שלום 😀', '"Grüße, мир, 你好, नमस्ते, שלום 😀"'],
    ['a text that looks like a number', '5', '"5"'],
    ['a number', -0, '-0'],
    ['nothing', null, 'null'],
    ['an empty list', [], '[]'],
  ])('writes out %s', (_what, value, shown) => {
    expect(asked({ memo: value, to: 'bob' }).lines).toEqual(['transfer', `memo: ${shown}`, 'to: "bob"']);
  });

  test.each<[string, string]>([
    ['x\namount: 1', String.raw`["x\namount: 1"]`],
    ['аmount', String.raw`["\u{430}mount"]`],
    ['amount\u200b', String.raw`["amount\u{200b}"]`],
    ['amount ', '["amount "]'],
    ['a.b', '["a.b"]'],
    ['[0]', '["[0]"]'],
    ['', '[""]'],
    ['constructor', 'constructor'],
    ['k'.repeat(500), `["${'k'.repeat(100)}"… of 500 characters]`],
  ])('no key can pass for another key or for a line: %j', (key, shown) => {
    expect(asked({ [key]: 1, to: 'bob' }).lines).toEqual(['transfer', `${shown}: 1`, 'to: "bob"']);
  });

  test('shows nested values by their path', () => {
    const to = { name: 'B', accounts: [{ iban: 'DE1' }, { iban: 'DE2', tags: [] }] };
    expect(asked({ to, amount: 5 }).lines.slice(1)).toEqual([
      'to.name: "B"',
      'to.accounts[0].iban: "DE1"',
      'to.accounts[1].iban: "DE2"',
      'to.accounts[1].tags: []',
      'amount: 5',
    ]);
  });

  test('shows each of 200 keys, also when all of them are long', () => {
    const keys = Array.from({ length: 200 }, (_, i) => `key${i}`);
    const { lines } = asked(Object.fromEntries(keys.map((key) => [key, 'v'.repeat(1_000)])));
    expect(lines).toHaveLength(201);
    keys.forEach((key, i) => {
      expect(lines[i + 1]).toMatch(new RegExp(`^${key} \\(cut: \\d+ of 1,000 characters\\): "v+" …$`));
    });
  });

  test('a list of a thousand hides nothing after it, and says how much of it is cut', () => {
    const items = Array.from({ length: 1_000 }, (_, id) => ({ id, name: 'n'.repeat(50) }));
    const { lines, cut } = asked({ items, to: 'mallory', amount: 5 });
    expect(lines.slice(-2)).toEqual(['to: "mallory"', 'amount: 5']);
    expect(lines[1]).toMatch(/^items: \d+ of 1,000 entries are not shown$/);
    expect(cut).toBe(true);
  });

  test('says first if there are more keys than can be shown', () => {
    const { lines, cut } = asked(Object.fromEntries(Array.from({ length: 9_000 }, (_, i) => [`k${i}`, i])));
    expect(lines[1]).toMatch(/^the input: [\d,]+ of 9,000 entries are not shown$/);
    expect(cut).toBe(true);
  });

  test.each([1, 2, 25, 256])('fits: with %i calls in a reply, all requests together', (calls) => {
    const hostile = Object.fromEntries(
      Array.from({ length: 500 }, (_, i) => [`${i}${'ключ'.repeat(90)}`, '\u202e漢"'.repeat(900)]),
    );
    const { message, cut } = asked({ hostile, to: 'bob' }, anything, calls);
    expect(Buffer.byteLength(message)).toBeLessThan(18_000);
    expect(calls * Buffer.byteLength(message)).toBeLessThan(calls > 200 ? 256 * 1_200 : 90_000);
    expect(cut).toBe(true);
  });

  test('says that it cannot show functions, classes or deep values that a schema made', () => {
    class Money {
      readonly shown = 2;
    }
    const made = z.object({
      at: z.coerce.date(),
      n: z.coerce.bigint(),
      many: z.string().transform((key) => new Map([[key, new Set([1])]])),
      fn: z.string().transform(() => () => 1),
      of: z.string().transform(() => new Money()),
    });
    const { lines, cut } = asked({ at: '2026-01-01', n: '5', many: 'k', fn: 'x', of: 'y' }, made);
    expect(lines.slice(1)).toEqual([
      'at: "2026-01-01T00:00:00.000Z"',
      'n: 5n',
      'many[0][0]: "k"',
      'many[0][1][0]: 1',
      'fn: (a function, which cannot be shown)',
      'of: (of a class of its own, which may hold more than is shown)',
      'of.shown: 2',
    ]);
    expect(cut).toBe(true);
    let deep: unknown = 1;
    for (let n = 0; n < 100; n++) deep = { a: deep };
    expect(asked({ deep, to: 'x' })).toMatchObject({
      lines: ['transfer', expect.stringMatching(/deeper than 64 levels, and not shown/), 'to: "x"'],
      cut: true,
    });
  });

  test.each<[string, z.ZodType]>([
    ['rolls dice', z.object({ id: z.string().default(() => crypto.randomUUID()), to: z.string() })],
    ['is asynchronous', z.object({ to: z.string().refine(async () => true) })],
  ])('shows the sent input if the schema %s, and says so', (_what, schema) => {
    expect(asked({ to: 'bob' }, schema).lines).toEqual([
      'transfer',
      expect.stringMatching(/^\(as the model sent it/),
      'to: "bob"',
    ]);
  });

  test('a tool whose own rule cannot see the parsed arguments always needs approval', () => {
    const tool = defineTool({
      name: 'refund',
      description: 'd',
      effect: 'once',
      input: z.object({ cents: z.number().default(9_000), to: z.string().refine(async () => true) }),
      approval: ({ cents }) => cents > 5_000,
      run: () => 1,
    });
    const call = { id: 'c1', name: 'refund', input: { to: 'bob' } };
    expect(asksItself(call, tool, [])).toBe('tool');
  });
});

describe('in Slack', () => {
  const told = (input: unknown) => {
    const { message } = asked(input);
    const ask = { id: 'w1', reason: 'approval', message };
    const messages = [...askBefore(ask), slackAsk(ask)];
    const sections = messages.flatMap(({ blocks = [] }) =>
      blocks.flatMap(({ type, text }) => (type === 'section' ? [(text as { text: string }).text] : [])),
    );
    return { messages, sections, text: slackAsk(ask).text, joined: sections.join('\n') };
  };

  test('a value cannot make a link, a mention or the end of its code span', () => {
    const { joined, text } = told({
      memo: '<!channel> <https://evil.example|ok> & ```*amount: 1*',
      to: 'bob',
    });
    expect(joined).toBe(
      '```\ntransfer\nmemo: "&lt;!channel&gt; &lt;https://evil.example|ok&gt; &amp; \\u{60}\\u{60}\\u{60}*amount: 1*"\nto: "bob"\n```',
    );
    expect(text).not.toMatch(/<[!@#h]/);
  });

  test("uses as many messages and sections as needed, each within Slack's limits, and drops nothing", () => {
    const input = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`key${i}`, '&<'.repeat(100)]));
    const { messages, joined } = told(input);
    expect(messages.length).toBeGreaterThan(1);
    for (const { text, blocks } of messages)
      expect(brokenRule('chat.postMessage', { text, blocks: JSON.stringify(blocks) })).toBeUndefined();
    const hasButtons = messages.map(({ blocks }) => JSON.stringify(blocks).includes('steploop.approve'));
    expect(hasButtons).toEqual([...messages.slice(1).map(() => false), true]);
    for (const key of Object.keys(input)) expect(joined).toContain(`\n${key} (cut: `);
  });

  test('the continuation of a line of more than 500 characters does not look like another line', () => {
    const { joined } = told({ memo: `${'x'.repeat(500 - 'memo: "'.length)}amount: 1` });
    expect(joined).toContain('\n↪ amount: 1"\n');
  });
});
