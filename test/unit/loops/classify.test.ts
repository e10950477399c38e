import { describe, expect, test } from 'vitest';
import { classify, polls } from '../../../shared/agent/guardrails/loops/classify.ts';
import { tool } from '../step/reading.fixture.ts';
import { looped, times } from './loops.fixture.ts';

const readFile = tool('read_file', () => 'text');
const editFile = tool('edit_file', () => 'ok', { effect: 'once' });
const current = { guardrails: 'praisonai-current' as const, tools: [readFile, editFile] };
/** As described: the counts stop, whatever the results. */
const described = { ...current, guardrails: 'praisonai' as const };
const at = (i: number) => ({ path: `f${i}` });
const kinds = (verdicts: readonly { kind: string; code: string; guard: string }[], guard: string) =>
  verdicts.filter((one) => one.guard === guard).map(({ code }) => code);

describe('L1: classification', () => {
  test.each([
    ['check_status', 'idempotent'],
    ['deploy_app', 'mutating'],
    ['budget_update', 'mutating'],
    ['thread_delete', 'mutating'],
    ['list_delete', 'mutating'],
    ['spreadsheet', 'mutating'],
    ['listen', 'mutating'],
    ['targeting', 'mutating'],
    ['read_file', 'idempotent'],
    ['readFile', 'idempotent'],
    ['getHTTPStatus', 'idempotent'],
    ['get-user', 'idempotent'],
    ['users.list', 'idempotent'],
    ['git_log', 'idempotent'],
    ['git_checkout', 'mutating'],
    ['bash', 'mutating'],
    ['glob', 'idempotent'],
    ['pwd', 'idempotent'],
    ['http_post', 'mutating'],
    ['users_post', 'mutating'],
    ['READ_FILE', 'idempotent'],
    ['', 'mutating'],
  ] as const)('L1: %s is %s by its name', (name, expected) => {
    expect(classify(name, 'unknown')).toBe(expected);
  });

  test('L1: a declared effect wins', () => {
    expect(classify('deploy_app', 'read')).toBe('idempotent');
    expect(classify('read_file', 'once')).toBe('mutating');
    expect(classify('read_file', 'idempotent')).toBe('mutating');
  });

  test('L13: polls are detected by whole words', () => {
    expect(['job_status', 'waitFor', 'ping', 'health-check'].map(polls)).toEqual([true, true, true, true]);
    expect(['shipping', 'statusbar', 'checkout', 'awaiting'].map(polls)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  test('L1: in a run, unknown tools are classified by their names', async () => {
    const script = [...times(5, 'check_it', at), ...times(3, 'make_it', at)];
    const { verdicts } = await looped(described, ...script);
    expect(kinds(verdicts, 'counts')).toEqual(['idempotent_warn', 'mutating_warn']);
  });
});
