import { describe, expect, test } from 'vitest';
import {
  chatRules,
  converseRules,
  generateRules,
  messagesRules,
  refusalOf,
  responsesRules,
} from '../../support/strict/refusal.ts';
import { chatDialects, type Dialect, type Fields, messagesDialects } from '../../support/strict/rule.ts';
import { chatRequest, chatRows } from './chat-rules.fixture.ts';
import { converseRequest, converseRows } from './converse-rules.fixture.ts';
import { generateRequest, generateRows } from './generate-rules.fixture.ts';
import { request, rows } from './messages-rules.fixture.ts';
import { responsesRequest, responsesRows } from './responses-rules.fixture.ts';

/** Every rule of a strict server refuses a request that breaks it, and accepts the similar one. */

const sent = (body: Fields | string): { body: Fields; raw: string } => {
  const raw = typeof body === 'string' ? body : JSON.stringify(body);
  return { raw, body: JSON.parse(raw) as Fields };
};

function judged(of: Fields | string, dialect: Dialect, given: Parameters<typeof refusalOf>[3]) {
  const { body, raw } = sent(of);
  return refusalOf(body, raw, dialect, given);
}

describe('the Messages server', () => {
  test.each(rows)('refuses what breaks "$rule": $says', (row) => {
    const { rule, dialect = 'anthropic', broken, sound = request(), given, says, status = 400 } = row;
    const refusal = judged(broken, dialect, given?.());
    expect(refusal).toMatchObject({ rule, status, body: { type: 'error' } });
    expect(refusal?.message).toContain(says);
    expect(judged(sound, dialect, given?.())).toBeUndefined();
  });

  test('has a test for each rule', () => {
    const tried = new Set(rows.map(({ rule }) => rule));
    expect(messagesRules.map(({ name }) => name).filter((name) => !tried.has(name))).toEqual([]);
  });
});

describe('the Chat Completions server', () => {
  test.each(chatRows)('refuses what breaks "$rule": $says', (row) => {
    const { rule, dialect = 'openai', broken, sound = chatRequest(), given, says, status = 400 } = row;
    const refusal = judged(broken, dialect, given?.());
    expect(refusal).toMatchObject({ rule, status });
    expect(refusal?.message).toContain(says);
    expect(judged(sound, dialect, given?.())).toBeUndefined();
  });

  test('has a test for each rule', () => {
    const tried = new Set(chatRows.map(({ rule }) => rule));
    expect(chatRules.map(({ name }) => name).filter((name) => !tried.has(name))).toEqual([]);
  });
});

describe('the Responses server', () => {
  test.each(responsesRows)('refuses what breaks "$rule": $says', (row) => {
    const { rule, broken, sound = responsesRequest(), given, says, status = 400 } = row;
    const refusal = judged(broken, 'responses', given?.());
    expect(refusal).toMatchObject({ rule, status, body: { error: { type: 'invalid_request_error' } } });
    expect(refusal?.message).toContain(says);
    expect(judged(sound, 'responses', given?.())).toBeUndefined();
  });

  test('has a test for each rule', () => {
    const tried = new Set(responsesRows.map(({ rule }) => rule));
    expect(responsesRules.map(({ name }) => name).filter((name) => !tried.has(name))).toEqual([]);
  });
});

describe('the Gemini server', () => {
  test.each(generateRows)('refuses what breaks "$rule": $says', (row) => {
    const { rule, broken, sound = generateRequest(), given, says } = row;
    const refusal = judged(broken, 'generate', given?.());
    expect(refusal).toMatchObject({ rule, status: 400, body: { error: { status: 'INVALID_ARGUMENT' } } });
    expect(refusal?.message).toContain(says);
    expect(judged(sound, 'generate', given?.())).toBeUndefined();
  });

  test('has a test for each rule', () => {
    const tried = new Set(generateRows.map(({ rule }) => rule));
    expect(generateRules.map(({ name }) => name).filter((name) => !tried.has(name))).toEqual([]);
  });
});

describe('the Converse server', () => {
  test.each(converseRows)('refuses what breaks "$rule": $says', (row) => {
    const { rule, broken, sound = converseRequest(), says } = row;
    const refusal = judged(broken, 'converse', undefined);
    expect(refusal).toMatchObject({ rule, status: 400, body: { message: refusal?.message } });
    expect(refusal?.message).toContain(says);
    expect(judged(sound, 'converse', undefined)).toBeUndefined();
  });

  test('has a test for each rule', () => {
    const tried = new Set(converseRows.map(({ rule }) => rule));
    expect(converseRules.map(({ name }) => name).filter((name) => !tried.has(name))).toEqual([]);
  });
});

test('a rule of one server does not apply to another', () => {
  const long = chatRows.find(({ rule }) => rule.startsWith('a description'))?.broken ?? '';
  const refusing = chatDialects.filter((dialect) => judged(long, dialect, undefined));
  expect(refusing).toEqual(['openai', 'azure']);
});

test('a refusal has the format of its server', () => {
  const bodies = Object.fromEntries(
    [...messagesDialects, ...chatDialects].map((dialect) => [
      dialect,
      judged({ ...chatRequest(), model: '' }, dialect, undefined)?.body,
    ]),
  );
  expect(bodies).toMatchObject({
    anthropic: { type: 'error', error: { type: 'invalid_request_error' } },
    openai: { error: { type: 'invalid_request_error', param: null } },
    gemini: [{ error: { code: 400, status: 'INVALID_ARGUMENT' } }],
    mistral: { object: 'error', type: 'invalid_request_error' },
    openrouter: { error: { message: 'Provider returned error', code: 400 } },
    vllm: { error: { type: 'BadRequestError', code: 400 } },
  });
});

test('every source is an address', () => {
  const sources = [...messagesRules, ...chatRules, ...responsesRules, ...converseRules, ...generateRules].map(
    ({ source }) => source,
  );
  expect(sources.filter((source) => !URL.canParse(source))).toEqual([]);
});
