import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { formatOf, historyIn, importFile, toldOf } from '../../../cli/sessions/history.ts';
import type { HistoryFormat } from '../../../shared/contract/history.ts';
import type { Imported } from '../../../web/client/index.ts';

const user = { role: 'user', content: 'Hi.' };
const result = { type: 'tool_result', tool_use_id: 'c1', content: 'ok' };

test.each<[string, unknown, HistoryFormat]>([
  ['parts', [{ role: 'user', parts: [] }], 'ai-sdk'],
  ['a tool’s message', [user, { role: 'tool', content: '', tool_call_id: 'c1' }], 'openai'],
  ['tool_calls', { model: 'gpt-x', messages: [user, { role: 'assistant', tool_calls: [] }] }, 'openai'],
  ['a result among blocks', [{ role: 'user', content: [result] }], 'anthropic'],
  ['a system prompt beside them', { system: 'Help.', messages: [user] }, 'anthropic'],
  ['only texts, which all formats write alike', [user], 'openai'],
])('the format of a file is detected by %s', (_, file, format) => {
  expect(historyIn(JSON.stringify(file), undefined).format).toBe(format);
});

test('a file with an unknown format or without messages is refused with a sentence', () => {
  const both = JSON.stringify([{ role: 'user', parts: [] }, { role: 'tool' }]);
  expect(() => historyIn(both, undefined)).toThrow('Set --format: openai, anthropic, ai-sdk.');
  expect(historyIn(both, 'openai').format).toBe('openai');
  expect(() => historyIn('{"messages": []}', undefined)).toThrow('has no messages');
  expect(() => historyIn('nope', undefined)).toThrow('not JSON');
  expect(() => formatOf('gemini')).toThrow('There is no format gemini.');
});

test('a file is sent with the given options, and the parts left out are reported', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'steploop-'));
  const file = join(folder, 'chat.json');
  writeFileSync(file, JSON.stringify([user]));
  const imported: Imported = {
    ...{ sessionId: 's1', duplicate: true, slots: 1 },
    leftOut: { system: 2, thinking: 0, links: 1, parts: 0 },
  };
  const sent: unknown[] = [];
  const client = {
    importSession: async (...asked: unknown[]) => {
      sent.push(asked);
      return imported;
    },
  };
  await importFile(client, file, { agent: 'helper', title: 'T', key: 'k1' });
  expect(sent).toEqual([
    [
      { agent: 'helper', title: 'T', history: { format: 'openai', messages: [user] } },
      { idempotencyKey: 'k1' },
    ],
  ]);
  expect(toldOf(imported)).toEqual([
    '1 turns, imported before',
    'left out: 2 of the system: the agent has its own prompt',
    'left out: 1 images or files that were named by a URL or an id',
  ]);
  await expect(importFile(client, file, {})).rejects.toThrow('--agent NAME');
  await expect(importFile(client, join(folder, 'none'), { agent: 'a' })).rejects.toThrow('cannot be read');
  rmSync(folder, { recursive: true });
});
