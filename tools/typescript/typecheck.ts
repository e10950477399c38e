import type { Tool } from '../../shared/agent/define/index.ts';
import { defineTool } from '../../shared/agent/define/tool.ts';
import { readOnce } from '../../shared/agent/plain/read-once.ts';
import { argumentsOf } from '../plain/arguments.ts';

const readThread = readOnce(() => import('./thread.ts'));

/** How TypeScript is compiled. */
export interface TypecheckOptions {
  /** Seconds of one compilation. Default: 60 (T30); at most 240. */
  readonly timeoutSeconds?: number;
  /** Where it runs. Default: from the queue, in a function of its own; the compiler is large. */
  readonly where?: 'inline' | 'queue';
}

/** Seconds of the tool's time that are not the compiler's: for reading the workspace. */
const AROUND = 30;

/**
 * `typecheck`: compiles the TypeScript of the workspace as `tsc --noEmit` does, by its `tsconfig.json` where it has one. An agent that has it must
 * not leave what it has changed uncompiled (T30, docs/proof.md). Throws when the options make no sense.
 */
export function typecheck({ timeoutSeconds = 60, where = 'queue' }: TypecheckOptions = {}): Tool {
  if (!(timeoutSeconds >= 1 && timeoutSeconds <= 240))
    throw new Error('typecheck: timeoutSeconds is a number from 1 to 240');
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
