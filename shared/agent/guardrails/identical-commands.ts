import type * as z from 'zod';
import { hash } from '../hash.ts';
import { changesFiles, commandOf, isShell } from '../tools/facts.ts';
import { defineGuard } from './guard.ts';
import type { CallStreak } from './loop-config.ts';
import { type LoopScope, loopHalt, loopState, withEntry } from './loop-guard.ts';

type Config = z.output<typeof CallStreak>['bash'];

/** Commands that are kept in mind; the oldest are forgotten. */
const MAX_COMMANDS = 64;

/** Ends a run that gives the same shell command too often. A successful edit or write clears the counts (U1b, H9). */
export const identicalCommandsGuard = ({ limit, stopOn }: Config, scope: LoopScope) =>
  defineGuard<{ commands: { readonly [command: string]: number } }>({
    name: 'identical_commands',
    ...loopState(scope),
    initial: { commands: {} },
    hooks: {
      call: ({ commands }, { call, tool }) => {
        const command = isShell(call.name, tool) ? commandOf(call) : undefined;
        if (limit === 0 || command === undefined) return undefined;
        const key = hash(command.trim().replace(/\s+/g, ' '), 16);
        const times = (commands[key] ?? 0) + 1;
        const state = { commands: withEntry(commands, key, times, MAX_COMMANDS) };
        const last = stopOn === 'on_nth' ? limit - 1 : limit;
        if (times <= last) return { state };
        const message = `The same command was given ${times} times, and no file was changed in between.`;
        return { state, verdict: { ...loopHalt('identical_commands', message), reason: 'tool_error' } };
      },
      result: (_state, { result, tool }) =>
        tool && changesFiles(tool) && result.outcome === 'ok' ? { state: { commands: {} } } : undefined,
    },
  });
