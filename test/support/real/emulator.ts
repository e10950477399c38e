import { join } from 'node:path';
import type { FunctionSettings } from '../../../local/stack/lambda/function.ts';
import { type Endpoints, functionVariables } from '../../../local/stack/lambda/variables.ts';
import { freePort } from './free-port.ts';
import { listening, type Program, startProgram } from './program.ts';

/** Where AWS's own pieces of the runtime are. */
export interface RealRuntime {
  /** The Runtime Interface Emulator. */
  readonly emulator: string;
  /** The entry point of the runtime interface client. */
  readonly client: string;
}

/** One execution environment of AWS's own runtime. Its runtime starts with the first invocation. */
export interface RealEnvironment {
  readonly program: Program;
  /** The body of its answer. */
  invoke(event: string): Promise<Buffer>;
}

/**
 * Starts the Lambda Runtime Interface Emulator with the runtime interface client and a function's bundle, with the variables
 * that the function has on the embedded stack
 * (https://github.com/aws/aws-lambda-runtime-interface-emulator#installing-the-runtime-interface-emulator).
 */
export async function startEnvironment(
  { emulator, client }: RealRuntime,
  settings: FunctionSettings,
  endpoints: Endpoints,
  onLine?: (line: string) => void,
): Promise<RealEnvironment> {
  const [port, api] = [await freePort(), await freePort()];
  const variables = functionVariables(settings, endpoints);
  const program = startProgram(
    [
      emulator,
      '--runtime-interface-emulator-address',
      `127.0.0.1:${port}`,
      '--runtime-api-address',
      `127.0.0.1:${api}`,
      process.execPath,
      client,
      settings.handler,
    ],
    {
      cwd: settings.directory,
      env: {
        ...variables,
        PATH: `${join(process.execPath, '..')}:${variables.PATH}`,
        AWS_LAMBDA_FUNCTION_TIMEOUT: String(settings.timeoutMs / 1000),
      },
      ...(onLine && { onLine }),
    },
  );
  await listening(program, port);
  return {
    program,
    async invoke(event) {
      const url = `http://127.0.0.1:${port}/2015-03-31/functions/function/invocations`;
      const response = await fetch(url, { method: 'POST', body: event });
      return Buffer.from(await response.arrayBuffer());
    },
  };
}
