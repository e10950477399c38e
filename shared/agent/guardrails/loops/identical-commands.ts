import type * as z from 'zod';
import type { CallStreak, Loop } from '../../config/loop.ts';
import { canonicalJson, hash } from '../../plain/hash.ts';
import { isRecord } from '../../plain/merge.ts';
import { changesFiles, commandOf, isShell, type ToolFacts } from '../../session/facts.ts';
import type { ToolCall } from '../../session/slots.ts';
import { builtIn } from '../guard-codes.ts';
import { waits } from './classify.ts';
import { resultKey, wasRun } from './fingerprint.ts';
import { type LoopScope, loopHalt, loopState, withEntry } from './loop-guard.ts';
import { isNewWork } from './news.ts';

type Config = z.output<typeof CallStreak>['bash'];
type News = z.output<typeof Loop>['news'];
type State = {
  readonly commands: { readonly [command: string]: number };
  /** The last result of each, and the step that was counted last; only with `news: 'excused'`. */
  readonly results: { readonly [command: string]: string };
  readonly at: { readonly [command: string]: number };
};

/** Commands that are remembered; the oldest are forgotten. */
const MAX_COMMANDS = 64;
const none: State = { commands: {}, results: {}, at: {} };

/**
 * Ends a run that gives the same shell command too often. A successful edit or write clears the counts. With `news: 'excused'`,
 * another result or any new piece of work also clears them, equal commands of one batch count once, and commands that wait are
 * left to `cycles.ts`.
 */
export const identicalCommandsGuard = ({ limit, stopOn }: Config, news: News, scope: LoopScope) =>
  builtIn<'identical_commands', State>({
    name: 'identical_commands',
    ...loopState(scope),
    initial: none,
    hooks: {
      call: (before, { session, call, tool }) => {
        const key = keyOf(call, tool, news);
        if (limit === 0 || key === undefined) return undefined;
        if (news === 'excused' && before.at[key] === session.version) return undefined;
        const times = (before.commands[key] ?? 0) + 1;
        const state = {
          ...before,
          commands: withEntry(before.commands, key, times, MAX_COMMANDS),
          ...(news === 'excused' && { at: withEntry(before.at, key, session.version, MAX_COMMANDS) }),
        };
        const last = stopOn === 'on_nth' ? limit - 1 : limit;
        if (times <= last) return { state };
        const message = `The same command was given ${times} times, and no file was changed in between.`;
        return {
          state,
          verdict: {
            ...loopHalt('identical_commands', message, { tool: call.name, count: times, limits: { limit } }),
            reason: 'tool_error',
          },
        };
      },
      result: (state, { session, call, result, tool }) => {
        if (tool && changesFiles(tool) && result.outcome === 'ok') return { state: none };
        if (news === 'counted') return undefined;
        const key = keyOf(call, tool, news);
        const counted = isNewWork(session, { call, result, tool })
          ? onceEach(state.commands)
          : state.commands;
        if (key === undefined || !wasRun(result)) return { state: { ...state, commands: counted } };
        const now = resultKey(result);
        const other = state.results[key] !== undefined && state.results[key] !== now;
        const commands = other ? { ...counted, [key]: 1 } : counted;
        return { state: { ...state, commands, results: withEntry(state.results, key, now, MAX_COMMANDS) } };
      },
    },
  });

const onceEach = (commands: State['commands']): State['commands'] =>
  Object.fromEntries(Object.keys(commands).map((key) => [key, 1]));

/** Arguments that say where a command runs. */
const WHERE = /^(?:host|hostname|machine|server|container|pod|namespace|cwd|dir|workdir|workingdirectory)$/;

/** The key of a command: its text, with single blanks; with `news: 'excused'` also the place where it runs. */
function keyOf(call: ToolCall, tool: ToolFacts | undefined, news: News): string | undefined {
  const command = isShell(call.name, tool) ? commandOf(call) : undefined;
  if (command === undefined || (news === 'excused' && waits(call, tool))) return undefined;
  const text = command.trim().replace(/\s+/g, ' ');
  const where = isRecord(call.input)
    ? Object.entries(call.input).filter(([name]) => WHERE.test(name.replace(/[_-]/g, '').toLowerCase()))
    : [];
  return hash(news === 'excused' && where.length > 0 ? `${text} @${canonicalJson(where)}` : text, 16);
}
