/**
 * The short way to DynamoDB and SQS: sends a client's commands without most of the work that the SDK repeats for each.
 *
 * The SDK builds a stack of some twenty middlewares for every command. It works out the endpoint by rules, chooses how
 * to sign, describes itself and its configuration in a header, compares checksums, and logs to a logger that discards
 * everything. None of that differs from one call to the next. So the first call to a place goes through the SDK, which
 * is observed: which endpoint it used, how it signed, and what a request of an operation looks like apart from its body.
 * Later calls go through the SDK's retries, its correction of the clock and its HTTP handler, with our signature
 * (`signer.ts`) and with JSON that is written and read here. That takes four tenths of the CPU of a call (`npm run
 * bench:call`).
 *
 * Outputs, errors and retries are the SDK's: `test/contract/aws-direct.test.ts` compares both ways. Three things are
 * missing: calls do not say which SDK they come from (`user-agent`), the MD5 of a sent message is not compared, because
 * TLS already protects it, and inputs are not filtered by the operation's schema, because types do that.
 */

import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { recursionDetectionMiddleware } from '@aws-sdk/core/client';
import { httpSigningMiddleware } from '@smithy/core';
import { retryMiddleware } from '@smithy/core/retry';
import { getSchemaSerdePlugin } from '@smithy/core/schema';
import { HttpRequest } from '@smithy/core/transport';
import { own } from '../agent/plain/merge.ts';
import { type SignerConfig, signerOf } from './signer.ts';

/** Makes `send` of a client take the short way when its only argument is a command. Returns the same client. */
export function direct<C extends DynamoDBClient | SQSClient>(client: C): C {
  const sdk = client.send.bind(client) as (...sent: readonly unknown[]) => Promise<unknown>;
  client.config.signer = signerOf(client.config as SignerConfig) as never;
  const places = new Map<string, SendTo>();
  const listen: Part = (next, context) => (args) => {
    const place = placeOf(args.input);
    if (!places.has(place)) places.set(place, openPlace(client.config, context));
    return next(args);
  };
  (client.middlewareStack as unknown as Stack).add(listen, {
    step: 'finalizeRequest',
    priority: 'low',
    name: 'listen',
  });
  client.send = ((command: Sent, ...options: readonly unknown[]) => {
    const place = options.length === 0 ? places.get(placeOf(command.input)) : undefined;
    return place ? place(command) : sdk(command, ...options);
  }) as C['send'];
  return client;
}

// The types of the SDK's parts differ by operation; these are what all of them have in common.

type Config = DynamoDBClient['config'] | SQSClient['config'];

/** The parts of a command that determine its destination and its content. */
interface Sent {
  readonly input: { readonly QueueUrl?: string };
  /** The operation's schema, which turns its input into JSON, and JSON into its output. */
  readonly schema?: unknown;
}

interface Args extends Pick<Sent, 'input'> {
  readonly request?: HttpRequest;
}
interface Response {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
}
type Handler = (args: Args) => Promise<{ readonly response: Response; readonly output?: unknown }>;
/** The SDK's context of a call. Its own entries are under one key. */
interface Context {
  readonly __smithy_context?: object;
}
type Part = (next: Handler, context: Context) => Handler;
interface Stack {
  add(
    part: Part,
    options: { readonly name: string; readonly step?: string; readonly priority?: string },
  ): void;
}

/** Sends a command to the place where others like it have gone. */
type SendTo = (command: Sent) => Promise<unknown>;

/** The destination of a command: a queue's URL contains its host, and every table is at the endpoint of its region. */
const placeOf = ({ QueueUrl = '' }: Sent['input']): string => QueueUrl;

/**
 * @param learned what the SDK has worked out for a call: its endpoint, and how it is signed. The identity in it signs
 * nothing: the SDK's signer asks the client's configuration for its keys each time, and the configuration renews them
 * when they run out
 */
function openPlace(config: Config, learned: Context): SendTo {
  const chains = new Map<unknown, Handler>();
  return async ({ input, schema }) => {
    const chain = chains.get(schema) ?? chainOf(config, learned, schema);
    chains.set(schema, chain);
    return (await chain({ input })).output;
  };
}

/** The parts that each call of an operation needs, put together once. */
function chainOf(config: Config, learned: Context, schema: unknown): Handler {
  const operation = { ...learned.__smithy_context, operationSchema: schema, commandInstance: undefined };
  const context = { ...learned, __smithy_context: operation };
  const sdk = serdeOf(config);
  const through = (part: unknown, next: Handler) => (part as Part)(next, context);

  const send: Handler = ({ request }) => config.requestHandler.handle(request as never) as never;
  const answer: Handler = async (args) => {
    const { response } = await send(args);
    if (response.statusCode >= 300) return through(sdk.deserializer, async () => ({ response }))(args);
    return { response, output: await outputOf(response) };
  };
  const signed = through(httpSigningMiddleware(config), answer);
  const tried = through(retryMiddleware(config), signed);
  const traced = through(recursionDetectionMiddleware(), tried);

  let form: HttpRequest | undefined;
  const first = through(sdk.serializer, ({ request, input }) => {
    form = request as HttpRequest;
    return traced(formed(form, input));
  });
  return (args) => (form ? traced(formed(form, args.input)) : first(args));
}

/** Both are in one plugin, which adds them to a stack by their names. */
function serdeOf(config: Config) {
  const parts = new Map<string, Part>();
  const stack: Stack = { add: (part, { name }) => parts.set(name, part) };
  getSchemaSerdePlugin(config).applyToStack(stack as never);
  return { serializer: parts.get('serializerMiddleware'), deserializer: parts.get('deserializerMiddleware') };
}

/**
 * A request of an operation: only its body differs from those before it. In the JSON protocol of both services the body is the
 * input, with bytes in base64. The signature covers the host, too.
 */
function formed(form: HttpRequest, input: object): Args {
  const { hostname, port } = form;
  const host = port ? `${hostname}:${port}` : hostname;
  const request = new HttpRequest({
    ...form,
    headers: { ...form.headers, host },
    body: JSON.stringify(input, inBase64),
  });
  return { input, request };
}

function inBase64(this: Record<string, unknown>, key: string, value: unknown): unknown {
  const bytes = own(this, key);
  return bytes instanceof Uint8Array
    ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')
    : value;
}

/** The output of an operation that has succeeded: its body, with bytes read from base64. */
async function outputOf({ statusCode, headers, body }: Response): Promise<object> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  const output = text === '' ? {} : JSON.parse(text, text.includes('"B":') ? fromBase64 : undefined);
  const requestId = headers['x-amzn-requestid'];
  return { ...output, $metadata: { httpStatusCode: statusCode, requestId } };
}

/** Only the value of a binary attribute is a text under `B`: an attribute of that name is an object. */
const fromBase64 = (key: string, value: unknown): unknown =>
  key === 'B' && typeof value === 'string' ? new Uint8Array(Buffer.from(value, 'base64')) : value;
