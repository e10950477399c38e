import type * as z from 'zod';
import type { CallStreak, Loop } from '../../config/loop.ts';
import { canonicalJson, hash } from '../../plain/hash.ts';
import { isRecord, own } from '../../plain/merge.ts';
import { changesFiles, commandOf, isShell, type ToolFacts } from '../../session/facts.ts';
import type { ToolCall } from '../../session/slots.ts';
import { words } from '../../words/words.ts';
import { builtIn } from '../guard-codes.ts';
import { waits } from './classify.ts';
import { wasRun } from './fingerprint.ts';
import { type LoopScope, loopHalt, loopState, withEntry } from './loop-guard.ts';
import { isNews, isNewWork, isPolling } from './news.ts';
import { outcomeKey } from './outcome.ts';

type Config = z.output<typeof CallStreak>['bash'];
type News = z.output<typeof Loop>['news'];
type State = {
  readonly commands: { readonly [command: string]: number };
  /** The last result of each, and the step that was counted last; only with `news: 'excused'`. */
  readonly results: { readonly [command: string]: string };
  readonly at: { readonly [command: string]: number };
  /** Commands since which another call has brought something new. */
  readonly outdated: readonly string[];
};

/** Commands that are remembered; the oldest are forgotten. */
const MAX_COMMANDS = 64;
const none: State = { commands: {}, results: {}, at: {}, outdated: [] };

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
        if (news === 'excused' && isPolling(session, call, tool)) return undefined;
        if (news === 'excused' && own(before.at, key) === session.version) return undefined;
        const last = stopOn === 'on_nth' ? limit - 1 : limit;
        // Between other news, looking again is no loop.
        const looksAgain = before.outdated.includes(key) && words().onlyLooks(commandOf(call) ?? '');
        const nth = (own(before.commands, key) ?? 0) + 1;
        const times = nth > last && looksAgain ? 1 : nth;
        const state = {
          ...before,
          commands: withEntry(before.commands, key, times, MAX_COMMANDS),
          outdated: before.outdated.filter((other) => other !== key),
          ...(news === 'excused' && { at: withEntry(before.at, key, session.version, MAX_COMMANDS) }),
        };
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
      result: (before, { session, call, result, tool }) => {
        if (tool && changesFiles(tool) && result.outcome === 'ok') return { state: none };
        if (news === 'counted') return undefined;
        const fresh = isNews(session, { call, result, tool });
        const key = keyOf(call, tool, news);
        const others = Object.keys(before.commands).filter((other) => other !== key);
        const state = fresh ? { ...before, outdated: others } : before;
        const counted = isNewWork(session, { call, result, tool })
          ? onceEach(state.commands)
          : state.commands;
        if (key === undefined || !wasRun(result)) return { state: { ...state, commands: counted } };
        const now = outcomeKey(call, result, tool);
        const was = own(state.results, key);
        const other = was !== undefined && was !== now;
        const commands = other || result.progress !== undefined ? { ...counted, [key]: 1 } : counted;
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
