/**
 * The short way to DynamoDB and SQS: a client's commands without most of the work that the SDK does anew for each.
 *
 * The SDK builds a stack of some twenty middlewares for every command. It works out the endpoint by rules, chooses how to sign, says in a header
 * what it is and how it was configured, compares checksums and logs to nobody, and none of that differs from one call to the next. So the first
 * call to a place goes the SDK's own way and is listened to: where it went, and how it was signed. Those after it go through the
 * parts of the SDK alone that each call needs: its serializer, its retries, its signer, its HTTP handler. That is six to seven tenths of the
 * CPU of a call (`npm run bench:call`).
 *
 * What comes back, what is thrown and what is tried again is the SDK's own: `test/contract/aws-direct.test.ts` holds both ways against
 * each other. Calls do not say which SDK they come from (`user-agent`), and the MD5 of a message that was sent is not compared: TLS has seen
 * to that.
 */

import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { recursionDetectionMiddleware } from '@aws-sdk/core/client';
import { httpSigningMiddleware } from '@smithy/core';
import { retryMiddleware } from '@smithy/core/retry';
import { getSchemaSerdePlugin } from '@smithy/core/schema';

/** Makes `send` of a client take the short way, where it is given a command and nothing else. Answers the same client. */
export function direct<C extends DynamoDBClient | SQSClient>(client: C): C {
  const sdk = client.send.bind(client) as (...sent: readonly unknown[]) => Promise<unknown>;
  const places = new Map<string, Place>();
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

// What the SDK says of its parts differs by operation; here is what all of them have in common.

type Config = DynamoDBClient['config'] | SQSClient['config'];

/** A command, as far as it matters where it goes and what it says. */
interface Sent {
  readonly input: { readonly QueueUrl?: string };
  /** The operation's, by which its input becomes JSON, and JSON its output. */
  readonly schema?: unknown;
}

interface Args extends Pick<Sent, 'input'> {
  readonly request?: {
    readonly headers: Record<string, string>;
    readonly hostname: string;
    readonly port?: number;
  };
}
type Handler = (args: Args) => Promise<{ readonly response: unknown; readonly output?: unknown }>;
/** What the SDK knows of a call; what is its own is under one key. */
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

/** Sends a command to where others like it have gone. */
type Place = (command: Sent) => Promise<unknown>;

/** Where a command goes: a queue's URL has its host in it, and every table is at the endpoint of its region. */
const placeOf = ({ QueueUrl = '' }: Sent['input']): string => QueueUrl;

/**
 * @param learned what the SDK has worked out for a call: its endpoint, and how it is signed. The identity in it signs nothing: the SDK's signer asks
 *   the client's configuration for its keys each time, and that asks again when they run out
 */
function openPlace(config: Config, learned: Context): Place {
  const chains = new Map<unknown, Handler>();
  return async ({ input, schema }) => {
    const chain = chains.get(schema) ?? chainOf(config, learned, schema);
    chains.set(schema, chain);
    return (await chain({ input })).output;
  };
}

/** The parts that each call of an operation needs, put together once. */
function chainOf(config: Config, learned: Context, schema: unknown): Handler {
  const own = { ...learned.__smithy_context, operationSchema: schema, commandInstance: undefined };
  const context = { ...learned, __smithy_context: own };
  const { serializer, deserializer } = serdeOf(config);
  const through = (part: unknown, next: Handler) => (part as Part)(next, context);

  const send: Handler = ({ request }) => config.requestHandler.handle(request as never);
  const signed = through(httpSigningMiddleware(config), through(deserializer, send));
  const tried = through(retryMiddleware(config), signed);
  const traced = through(recursionDetectionMiddleware(), tried);
  return through(serializer, (args) => traced(withHost(args)));
}

/** Both are in one plugin, which adds them to a stack by their names. */
function serdeOf(config: Config) {
  const parts = new Map<string, Part>();
  const stack: Stack = { add: (part, { name }) => parts.set(name, part) };
  getSchemaSerdePlugin(config).applyToStack(stack as never);
  return { serializer: parts.get('serializerMiddleware'), deserializer: parts.get('deserializerMiddleware') };
}

/** The signature is over the host, too. */
function withHost(args: Args): Args {
  const { headers, hostname, port } = args.request ?? {};
  if (headers && hostname) headers.host = port ? `${hostname}:${port}` : hostname;
  return args;
}
