import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { BuiltInProvider } from '../../../shared/agent/config/model.ts';
import { askedBy } from '../../../shared/agent/define/answer.ts';
import type { ModelRequest } from '../../../shared/agent/ports/provider.ts';
import { answerFields as messagesFields } from '../../../shared/models/anthropic/answer.ts';
import { answerFields as geminiFields } from '../../../shared/models/gemini/answer.ts';
import { modelProvider } from '../../../shared/models/models.ts';
import { answerFields as chatFields } from '../../../shared/models/openai/answer.ts';
import { answerFields as responsesFields } from '../../../shared/models/responses/answer.ts';
import * as gemini from '../../support/gemini-events.ts';
import { modelRequest, replyOf } from '../../support/model-call.ts';
import { message, text } from '../../support/model-events.ts';
import { type ModelServer, modelServer, reply, status } from '../../support/model-server.ts';
import { completion, says } from '../../support/openai-events.ts';
import * as responses from '../../support/responses-events.ts';

const signal = new AbortController().signal;
const tools = [
  { name: 'clock', description: 'Tells the time.', input_schema: { type: 'object', properties: {} } },
];
const answer = (schema: z.ZodObject) => ({ schema: askedBy(schema) });
const plain = z.object({
  title: z.string().min(3).describe('The mistake'),
  severity: z.int().min(1).max(3),
  note: z.string().nullable(),
});

const asking = (provider: BuiltInProvider, more: Partial<ModelRequest> = {}): ModelRequest =>
  modelRequest({ provider, tools, answer: answer(plain), ...more });

/** The fields of the request besides the agent's own. */
const held = ({ provider, request, answer }: ModelRequest) =>
  fieldsOf[provider as keyof typeof fieldsOf](request, answer?.schema ?? {});
const fieldsOf = {
  anthropic: messagesFields,
  openai: chatFields,
  'openai-responses': responsesFields,
  gemini: geminiFields,
};

const providerAt = ({ url }: ModelServer) =>
  modelProvider({ primary: { baseUrl: url, auth: 'bearer', key: async () => 'one' } });

describe('the schema that a server must apply to a reply', () => {
  test('Messages: output_config.format, with objects closed and unsupported keywords in words', () => {
    expect(held(asking('anthropic', { request: { output_config: { effort: 'low' } } }))).toEqual({
      output_config: {
        effort: 'low',
        format: {
          type: 'json_schema',
          schema: {
            type: 'object',
            additionalProperties: false,
            required: ['title', 'severity', 'note'],
            properties: {
              title: { type: 'string', description: 'The mistake\n\n{minLength: 3}' },
              severity: { type: 'integer', description: '{minimum: 1, maximum: 3}' },
              note: { type: ['string', 'null'] },
            },
          },
        },
      },
    });
  });

  test('Chat Completions: response_format, strict', () => {
    const { response_format: format } = held(asking('openai')) as {
      response_format: Record<string, unknown>;
    };
    expect(format).toMatchObject({
      type: 'json_schema',
      json_schema: {
        name: 'answer',
        strict: true,
        schema: { type: 'object', additionalProperties: false, required: ['title', 'severity', 'note'] },
      },
    });
    expect(JSON.stringify(format)).not.toContain('$schema');
  });

  test('Responses: text.format, strict, beside the agent’s own fields of `text`', () => {
    expect(held(asking('openai-responses', { request: { text: { verbosity: 'low' } } }))).toMatchObject({
      text: {
        verbosity: 'low',
        format: {
          ...{ type: 'json_schema', name: 'answer', strict: true },
          schema: { type: 'object', additionalProperties: false, required: ['title', 'severity', 'note'] },
        },
      },
    });
  });

  test('Gemini: responseJsonSchema, without references, beside the agent’s own fields', () => {
    const city = z.object({ name: z.string() }).meta({ id: 'City' });
    const request = { generationConfig: { temperature: 0 } };
    expect(held(asking('gemini', { request, answer: answer(z.object({ from: city, to: city })) }))).toEqual({
      generationConfig: {
        temperature: 0,
        responseMimeType: 'application/json',
        responseJsonSchema: expect.objectContaining({
          type: 'object',
          properties: {
            from: expect.objectContaining({ properties: { name: { type: 'string' } } }),
            to: expect.objectContaining({ properties: { name: { type: 'string' } } }),
          },
        }),
      },
    });
  });

  test.each<{ what: string; request: ModelRequest }>([
    {
      what: 'a format of the agent, Gemini',
      request: asking('gemini', { request: { generationConfig: { responseMimeType: 'text/plain' } } }),
    },
    {
      what: 'a format of the agent, Responses',
      request: asking('openai-responses', { request: { text: { format: { type: 'text' } } } }),
    },
    {
      what: 'unknown keys, Responses',
      request: asking('openai-responses', {
        answer: answer(z.object({ byName: z.record(z.string(), z.int()) })),
      }),
    },
    {
      what: 'a format of the agent, Messages',
      request: asking('anthropic', { request: { output_config: { format: {} } } }),
    },
    {
      what: 'a format of the agent, Chat Completions',
      request: asking('openai', { request: { response_format: {} } }),
    },
    {
      what: 'unknown keys, Messages',
      request: asking('anthropic', { answer: answer(z.object({ byName: z.record(z.string(), z.int()) })) }),
    },
    {
      what: 'unknown keys, Chat Completions',
      request: asking('openai', { answer: answer(z.object({ byName: z.record(z.string(), z.int()) })) }),
    },
    {
      what: 'a value of any kind, Messages',
      request: asking('anthropic', { answer: answer(z.object({ value: z.unknown() })) }),
    },
  ])('nothing more is requested for $what', ({ request }) => {
    expect(held(request)).toBeUndefined();
  });
});

describe('a request for an object', () => {
  test('is the usual one with the field, next to tools and prompt', async () => {
    await using server = await modelServer(
      reply(message([text('{}')])),
      reply(completion(says('{}'))),
      reply(responses.response([responses.says('msg_1', '{}')])),
    );
    const provider = providerAt(server);
    for (const speaks of ['anthropic', 'openai', 'openai-responses'] as const)
      replyOf(await provider.complete(asking(speaks), () => {}, signal));
    const [messages, chat, items] = server.requests.map(({ body }) => body);
    expect(items).toMatchObject({
      text: { format: { type: 'json_schema' } },
      tools: [{ type: 'function', name: 'clock' }],
    });
    expect(items).not.toHaveProperty('answer');
    expect(messages).toMatchObject({
      output_config: { format: { type: 'json_schema' } },
      tools: [{ name: 'clock' }],
    });
    expect(chat).toMatchObject({ response_format: { type: 'json_schema' }, tools: [{ type: 'function' }] });
    expect(messages).not.toHaveProperty('answer');
    expect(chat).not.toHaveProperty('answer');
  });

  test('to a server with calls as text, or to a custom provider, is the usual one', async () => {
    await using server = await modelServer(reply(completion(says('{}'))));
    replyOf(await providerAt(server).complete(asking('openai-xml'), () => {}, signal));
    expect(server.requests[0]?.body).not.toHaveProperty('response_format');
  });

  test('that Gemini refuses beside tools is repeated without the form (Simpleyyt/ai-manus#101)', async () => {
    const message = "Function calling with a response mime type: 'application/json' is unsupported";
    const refusal = status(400, {}, gemini.error(400, 'INVALID_ARGUMENT', message));
    await using server = await modelServer(refusal, reply(gemini.generated([gemini.text('{}')])));
    const outcome = await providerAt(server).complete(
      asking('gemini', { model: 'gemini-2.5-flash' }),
      () => {},
      signal,
    );
    expect(replyOf(outcome).content).toMatchObject([{ text: '{}' }]);
    expect(server.requests.map(({ body }) => body.generationConfig)).toMatchObject([
      { responseMimeType: 'application/json' },
      { maxOutputTokens: 1000 },
    ]);
    expect(server.requests[1]?.body.generationConfig).not.toHaveProperty('responseMimeType');
  });

  test('that a server refuses is repeated without the field, and later ones omit it at once', async () => {
    const refusal = status(
      400,
      {},
      {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: 'output_config.format.schema: Schema is too complex.',
        },
      },
    );
    const says = () => reply(message([text('{}')]));
    await using server = await modelServer(refusal, says(), says());
    const provider = providerAt(server);
    const request = asking('anthropic', { answer: answer(z.object({ tooComplex: z.string() })) });
    for (const _ of [1, 2]) replyOf(await provider.complete(request, () => {}, signal));
    expect(server.requests.map(({ body }) => 'output_config' in body)).toEqual([true, false, false]);
  });

  test('that is refused for another reason fails as usual', async () => {
    const refusal = () =>
      status(
        400,
        {},
        { type: 'error', error: { type: 'invalid_request_error', message: 'tools: too many' } },
      );
    await using server = await modelServer(refusal(), refusal(), reply(message([text('{}')])));
    const provider = providerAt(server);
    const request = asking('anthropic', { answer: answer(z.object({ other: z.string() })) });
    const failed = await provider.complete(request, () => {}, signal);
    expect(failed).toMatchObject({ kind: 'failed', failure: { kind: 'fatal' } });
    // The refusal says nothing about the schema.
    replyOf(await provider.complete(request, () => {}, signal));
    expect(server.requests.map(({ body }) => 'output_config' in body)).toEqual([true, false, true]);
  });
});
