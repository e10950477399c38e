import type { Tool } from '../../shared/agent/define/index.ts';
import { defineTool } from '../../shared/agent/define/tool.ts';
import { readOnce } from '../../shared/agent/plain/read-once.ts';
import { argumentsOf } from '../plain/arguments.ts';

const readThread = readOnce(() => import('./thread.ts'));

/** How TypeScript is compiled. */
export interface TypecheckOptions {
  /** Most seconds of one compilation. Default: 60; at most 240. */
  readonly timeoutSeconds?: number;
  /** Where it runs. Default: from the queue, in a function of its own; the compiler is large. */
  readonly where?: 'inline' | 'queue';
}

/** Seconds of the tool's time for reading the workspace. */
const AROUND = 30;

/**
 * `typecheck`: compiles the TypeScript of the workspace like `tsc --noEmit`, by its `tsconfig.json` if it has one. An
 * agent with this tool must compile its changes before it finishes (docs/proof.md). Throws if an option is invalid.
 */
export function typecheck({ timeoutSeconds = 60, where = 'queue' }: TypecheckOptions = {}): Tool {
  if (!(timeoutSeconds >= 1 && timeoutSeconds <= 240))
    throw new Error('typecheck: timeoutSeconds must be a number from 1 to 240');
  return defineTool({
    name: 'typecheck',
    description:
      'Compile the TypeScript of the workspace without writing anything, as "tsc --noEmit" does: by /workspace/tsconfig.json, or strictly all of it where there is none. Packages that are not in the workspace are taken to be right. It says what does not compile.',
    effect: 'read',
    evidence: { verifies: true, compiles: true },
    timeoutSeconds: timeoutSeconds + AROUND,
    where,
    input: argumentsOf({}),
    async run(_input, { services: { workspace }, signal }) {
      const { compileInThread } = await readThread();
      return compileInThread(workspace, timeoutSeconds, signal);
    },
  });
}
