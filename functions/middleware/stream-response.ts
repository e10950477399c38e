import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { IsOutage } from '../../shared/edge/outage.ts';
import { errorFacts, log } from '../../shared/logger.ts';
import { problemResponse, toRefusal } from './problem.ts';

/** The sink of a streamed answer. */
export interface Out {
  /** Resolves when more may be written; at once if the client has left. */
  write(text: string): Promise<void>;
  /**
   * Whether the client is known to have left. Lambda does not report it (shared/aws/streams.ts); other runtimes close the stream
   * or fail it.
   */
  left(): boolean;
}

/** An answer: complete, or written in parts with status 200. */
export type Answer =
  | { readonly kind: 'whole'; readonly response: APIGatewayProxyStructuredResultV2 }
  | {
      readonly kind: 'stream';
      readonly headers: Readonly<Record<string, string>>;
      readonly body: (out: Out) => Promise<void>;
    };

type Serve = (event: APIGatewayProxyEventV2, context: Context) => Promise<Answer>;

/**
 * A handler that streams its response (Lambda's `awslambda.streamifyResponse`; the global exists only in the Node.js runtime of
 * Lambda). A Refusal becomes a problem document. A later error can only end the stream.
 */
export function streamResponse(serve: Serve, isOutage: IsOutage) {
  return decorate(async (event: APIGatewayProxyEventV2, stream: Writable, context: Context) => {
    const answer = await serve(event, context).catch((error: unknown) => refusal(error, context, isOutage));
    if (answer.kind === 'whole') {
      const { statusCode = 200, headers = {}, body = '' } = answer.response;
      const out = withHead(stream, statusCode, headers);
      // A stream that is never written to never ends.
      out.write(body);
      return void out.end();
    }
    const out = withHead(stream, 200, answer.headers);
    let left = false;
    for (const sign of ['error', 'close']) out.on(sign, () => (left = true));
    await answer
      .body({ write: (text) => write(out, text), left: () => left || out.destroyed })
      .catch((error: unknown) => {
        log('error', 'a stream failed', { requestId: context.awsRequestId, ...errorFacts(error) });
      });
    out.end();
  });
}

async function write(out: Writable, text: string): Promise<void> {
  if (out.destroyed || out.write(text)) return;
  await Promise.race([once(out, 'drain'), once(out, 'close')]).catch(() => {});
}

function refusal(error: unknown, { awsRequestId }: Context, isOutage: IsOutage): Answer {
  const { problem, headers } = toRefusal(error, awsRequestId, { requestId: awsRequestId }, isOutage);
  return { kind: 'whole', response: problemResponse(problem, headers) };
}

type StreamHandler = (event: APIGatewayProxyEventV2, stream: Writable, context: Context) => Promise<void>;

interface Runtime {
  streamifyResponse(handler: StreamHandler): StreamHandler;
  readonly HttpResponseStream: { from(stream: Writable, metadata: object): Writable };
}

/** Outside of Lambda the global is absent, or an empty object that the AWS SDK made. */
const runtime = () => (globalThis as unknown as { awslambda?: Partial<Runtime> }).awslambda;

const decorate = (handler: StreamHandler): StreamHandler =>
  runtime()?.streamifyResponse?.(handler) ?? handler;

const withHead = (stream: Writable, statusCode: number, headers: object): Writable =>
  runtime()?.HttpResponseStream?.from(stream, { statusCode, headers }) ?? stream;
