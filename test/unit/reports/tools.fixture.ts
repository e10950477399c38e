import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readSession } from '../../../functions/routes/reads.ts';
import type { Agent } from '../../../shared/agent/define/agent.ts';
import { accept, openSession } from '../../../shared/agent/entrypoints/accept.ts';
import { catchUp } from '../../../shared/agent/events/catch-up.ts';
import { runStep } from '../../../shared/agent/step/run-step.ts';
import { ids } from '../../../shared/aws/ports.ts';
import type { AgUiEvent } from '../../../shared/contract/events.ts';
import type { Internet } from '../../../shared/memory/egress.ts';
import { memoryPorts } from '../../../shared/memory/ports.ts';
import { modelProvider } from '../../../shared/models/models.ts';
import { wallClock } from '../../../shared/wall-clock.ts';
import { KEY } from '../../support/model-call.ts';
import { message, text, toolUse } from '../../support/model-events.ts';
import { sse } from '../../support/model-server.ts';
import { strictDoor } from '../../support/strict/door.ts';

interface Told {
  readonly name: string;
  readonly description: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
}

/** Answers for a model with these tools: a call, or words. */
export type Model = (tools: readonly Told[]) => readonly [name: string, input: unknown] | string;

/** A server of the Messages API that refuses the whole request for one tool, as the real one does. */
export interface Strict extends AsyncDisposable {
  readonly url: string;
  /** The tools of each request that it accepted. */
  readonly taken: readonly (readonly Told[])[];
  /** Its refusals, as it words them. */
  readonly refused: readonly string[];
}

/**
 * @param model answers each request without a result
 * @param refuses further refusals
 */
export async function strictServer(
  model: Model,
  refuses: (tools: readonly Told[]) => string | undefined = () => undefined,
): Promise<Strict> {
  const taken: (readonly Told[])[] = [];
  const refused: string[] = [];
  const door = strictDoor();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const raw = Buffer.concat(chunks).toString();
    const body = JSON.parse(raw);
    const tools: readonly Told[] = body.tools ?? [];
    const why = refusalOf(tools) ?? refuses(tools);
    if (why) {
      refused.push(why);
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message: why } }));
      return;
    }
    if (door.refuses(request.url ?? '', raw, response)) {
      refused.push(door.refusals.at(-1)?.message ?? '');
      return;
    }
    taken.push(tools);
    const last = body.messages.at(-1).content;
    const isResult =
      Array.isArray(last) && last.some((block: { type: string }) => block.type === 'tool_result');
    const said = isResult ? 'Done.' : model(tools);
    const pieces =
      typeof said === 'string'
        ? message([text(said)])
        : message([toolUse(`toolu_${taken.length}`, said[0], JSON.stringify(said[1]))], 'tool_use');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(pieces.map(sse).join(''));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    taken,
    refused,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const KEYS = /^[a-zA-Z0-9_.-]{1,64}$/;

/** The refusal of the Messages API for the first tool that it does not accept. */
export function refusalOf(tools: readonly Told[]): string | undefined {
  const names = tools.map(({ name }) => name);
  if (names.some((name, i) => names.indexOf(name) !== i)) return 'tools: Tool names must be unique.';
  for (const [i, { name, input_schema: schema }] of tools.entries()) {
    const at = `tools.${i}.custom.input_schema`;
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(name)) return `tools.${i}.custom.name: String should match pattern`;
    if (schema.type === undefined) return `${at}.type: Field required`;
    if (schema.type !== 'object') return `${at}.type: Input should be 'object'`;
    if (['oneOf', 'allOf', 'anyOf'].some((keyword) => keyword in schema))
      return `${at}: input_schema does not support oneOf, allOf, or anyOf at the top level`;
    if (wrongKeyIn(schema)) return `${at}.properties: Property keys should match pattern`;
    if (isNoSchema(schema)) return `${at}: JSON schema is invalid. It must match JSON Schema draft 2020-12`;
  }
  return undefined;
}

const parts = (value: unknown): readonly [string, unknown][] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : [];

/** The direct subschemas of a schema, at all places of JSON Schema. */
export function below(schema: unknown): readonly unknown[] {
  return parts(schema).flatMap(([keyword, value]) => {
    const isMap = ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'].includes(
      keyword,
    );
    const isList = ['anyOf', 'oneOf', 'allOf', 'prefixItems'].includes(keyword);
    if (isMap || isList) return parts(value).map(([, inner]) => inner);
    return ['items', 'additionalProperties', 'not', 'if', 'then', 'else'].includes(keyword) ? [value] : [];
  });
}

function wrongKeyIn(schema: unknown): boolean {
  const { properties } = Object.fromEntries(parts(schema));
  return parts(properties).some(([key]) => !KEYS.test(key)) || below(schema).some(wrongKeyIn);
}

const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];

/** Some violations of the metaschema that public servers were seen to send. */
function isNoSchema(schema: unknown): boolean {
  if (typeof schema === 'boolean') return false;
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return true;
  const { type, required, properties, items, exclusiveMinimum, $ref, anyOf } = schema as Record<
    string,
    unknown
  >;
  const types = type === undefined ? [] : [type].flat();
  return (
    types.some((one) => !TYPES.includes(String(one))) ||
    (required !== undefined && !Array.isArray(required)) ||
    typeof exclusiveMinimum === 'boolean' ||
    ($ref !== undefined && typeof $ref !== 'string') ||
    parts(properties).some(([, inner]) => isNoSchema(inner)) ||
    (items !== undefined && isNoSchema(items)) ||
    parts(anyOf).some(([, inner]) => isNoSchema(inner))
  );
}

/** One session on in-memory ports, whose model is a server on loopback. */
export function session(agent: Agent, server: Strict, internet?: Internet) {
  const primary = { baseUrl: server.url, auth: 'bearer' as const, key: async () => KEY, idleMs: 5_000 };
  const provider = modelProvider({ primary });
  const io = memoryPorts({
    clock: wallClock,
    ids,
    provider,
    settings: {},
    secrets: {},
    ...(internet && { internet }),
  });
  const key = { tenant: 'acme', sessionId: 's1' };
  let deployed = agent;
  let count = 0;
  const events = async (): Promise<AgUiEvent[]> =>
    ((await catchUp(key, 0, 100_000, io)) ?? []).map(({ event }) => event);
  return {
    io,
    key,
    events,
    deploy(changed: Agent) {
      deployed = changed;
    },
    /** Sends a message, plays the run to its end, and returns its ending. */
    async say(words = 'Go.') {
      await openSession(key, deployed, async () => undefined, io);
      await accept(key, { eventId: `e${++count}`, text: words }, io);
      for (let delivery = io.queue.receive(); delivery; delivery = io.queue.receive()) {
        const invocation = {
          id: ids.next(),
          message: delivery.handle,
          deadlineAt: wallClock.now() + 300_000,
        };
        const options = { agentOf: () => deployed, leaseMs: 60_000 };
        await runStep(delivery.wake, invocation, options, io);
        io.queue.delete(delivery.handle);
      }
      const { lastEnding } = (await io.sessions.read(key))?.session ?? {};
      return lastEnding;
    },
    /** The answer of `GET /sessions/{sessionId}`. */
    async shown(): Promise<unknown> {
      const event = { pathParameters: { sessionId: key.sessionId } } as unknown as Parameters<
        typeof readSession
      >[0];
      const caller = { tenant: key.tenant, subject: 'op', scopes: ['admin'] } as unknown as Parameters<
        typeof readSession
      >[1];
      const context = { io, listed: { read: async () => undefined } } as unknown as Parameters<
        typeof readSession
      >[2];
      return JSON.parse((await readSession(event, caller, context)).body ?? '{}');
    },
  };
}

/** Results of calls, as the model reads them. */
export const resultsIn = (events: readonly AgUiEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'TOOL_CALL_RESULT' ? [String(event.content)] : []));
