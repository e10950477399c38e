/** Runs of the real step with the package's own tools: files, a shell, memory. */

import { setTimeout as pause } from 'node:timers/promises';
import type { Tool } from '../../../shared/agent/tools/tool.ts';
import { calls, type Scripted, says, scriptedModel } from '../../../testing/scripted-model.ts';
import { bash } from '../../../tools/bash/index.ts';
import { memoryTools, workspaceTools } from '../../../tools/index.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { type Guardrails, read, toldIn } from './loops.fixture.ts';

export type Asked = [name: string, input: object];

export const tools = [...workspaceTools(), bash({ javascript: false })].map(
  (tool): Tool => ({
    ...tool,
    approval: 'never',
  }),
);
/** Without recovery, which lets the first halt pass (H16). */
export const hamr = { preset: 'hamr' as const, recovery: { total: 0 } };

/** A run whose replies make these calls, one or several at a time, after a first one that writes the files. */
export async function run(
  files: Readonly<Record<string, string>>,
  steps: readonly Asked[][],
  guardrails: Guardrails = hamr,
) {
  let running = 0;
  /** Calls that ran in parallel with others of their batch, by path. */
  const atOnce: string[] = [];
  const watched = [...tools, ...memoryTools({ scopes: ['tenant'] })].map(
    (tool): Tool => ({
      ...tool,
      run: async (input, context) => {
        running += 1;
        if (running > 1) atOnce.push(String(Reflect.get(Object(input), 'path')));
        try {
          return await tool.run(input, context);
        } finally {
          running -= 1;
        }
      },
    }),
  );
  // Tools load modules, and a shell has a thread: these take real time.
  const realTime = async () => {
    if (running > 0) await pause(1);
    return running > 0;
  };
  const write = Object.entries(files).map(([path, content]): Asked => ['write_file', { path, content }]);
  const script: Scripted[] = [calls(...write), ...steps.map((step) => calls(...step))];
  const model = scriptedModel(...script, ...Array.from({ length: 4 }, () => says('The parser is in a.ts.')));
  const world = await sessionWorld({ tools: watched, guardrails }, model, { realTime });
  await world.say('Mend the parser.');
  await world.settle();
  const all = await read(world);
  return {
    ...all,
    atOnce,
    results: all.results.slice(write.length),
    told: (n: number) => toldIn(all.requests, n),
  };
}

export const readOf = (path: string, more: object = {}): Asked => ['read_file', { path, ...more }];
export const editOf = (path: string, from: string, to: string): Asked => [
  'edit_file',
  { path, old_string: from, new_string: to },
];
export const shell = (command: string): Asked => ['bash', { command }];
export const each = <T>(n: number, make: (i: number) => T): T[] =>
  Array.from({ length: n }, (_, i) => make(i));
export const outcomes = (results: readonly { outcome: string }[]) => results.map(({ outcome }) => outcome);
