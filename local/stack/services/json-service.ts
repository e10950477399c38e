/** A server for services that are emulated here: JSON 1.1 over HTTP on loopback. */

import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { type Door, standBefore } from '../iam/door.ts';
import { refusePages } from '../iam/pages.ts';
import { refuseJson } from '../iam/refusals.ts';
import { endingOf, LOOPBACK, listen } from '../listen.ts';
import { readBody } from '../read-body.ts';

/** A refusal of a service's API, by its name. */
export class ServiceError extends Error {
  readonly code: string;
  constructor(code: string, message = '') {
    super(message);
    this.code = code;
  }
}

/** @template Input the fields of all operations' inputs, which are not checked */
export interface JsonService<Input> extends Pick<Door, 'access' | 'wantedBy' | 'serviceOf' | 'overLimit'> {
  /** For error messages. */
  readonly name: string;
  /** The part of `x-amz-target` before the operation. */
  readonly target: string;
  readonly maxBodyBytes: number;
  /** The output of an operation. Throws {@link ServiceError} for what the API refuses. */
  answer(operation: string, input: Input): object;
}

/** A running service. */
export interface RunningService {
  endpoint: string;
  stop(): Promise<void>;
}

/** Starts the service. Requests are verified, and their callers restricted to `access`, if it is given. */
export async function startJsonService<Input>({
  name,
  target,
  maxBodyBytes,
  answer,
  ...door
}: JsonService<Input>): Promise<RunningService> {
  const server = createServer(async (request, response) => {
    const body = await readBody(request, maxBodyBytes);
    if (body.kind !== 'read') return void response.destroy();
    const { status, output } = outcomeOf(() => answer(operationOf(request, target), inputOf(body.bytes)));
    response.writeHead(status, {
      'content-type': 'application/x-amz-json-1.1',
      'x-amzn-requestid': randomUUID(),
    });
    response.end(JSON.stringify(output));
  });
  standBefore(server, { ...door, refuse: () => refuseJson });
  refusePages(server, () => refuseJson);
  const port = await listen(server, 0, `embedded ${name}`);
  return { endpoint: `http://${LOOPBACK}:${port}`, stop: endingOf(server).stop };
}

const operationOf = ({ headers }: IncomingMessage, target: string): string =>
  String(headers['x-amz-target'] ?? '').replace(`${target}.`, '');

const inputOf = <Input>(bytes: Buffer): Input => JSON.parse(bytes.toString() || '{}');

function outcomeOf(work: () => object): { status: number; output: object } {
  try {
    return { status: 200, output: work() };
  } catch (error) {
    const __type = error instanceof ServiceError ? error.code : 'SerializationException';
    const message = error instanceof Error ? error.message : String(error);
    return { status: 400, output: { __type, message } };
  }
}
