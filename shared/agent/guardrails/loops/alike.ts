import type * as z from 'zod';
import type { Loop } from '../../config/loop.ts';
import { own } from '../../plain/merge.ts';
import { commandOf, isAnswer, isShell, type ToolFacts } from '../../session/facts.ts';
import type { ToolCall } from '../../session/slots.ts';
import { guardTexts } from '../../texts/guards.ts';
import { builtIn } from '../guard-codes.ts';
import { failureKey, wasRun } from './fingerprint.ts';
import { type LoopScope, loopHalt, loopNudge, loopState, withEntry } from './loop-guard.ts';
import { isNewWork, isPolling } from './news.ts';
import { hasFailed, maySucceedLater } from './outcome.ts';

type Config = Pick<z.output<typeof Loop>, 'failures'>;
/** How a tool, or a program of a shell, fails. */
type Failing = {
  readonly how: string;
  /** Steps in which it has failed like that since it last succeeded, the last of them, and the count that was told last. */
  readonly times: number;
  readonly at: number;
  readonly told: number;
  /** Something was changed meanwhile. */
  readonly worked: boolean;
};
type State = { readonly failing: { readonly [actor: string]: Failing } };

/** Tools and programs that are remembered; the oldest are forgotten. */
const MAX_ACTORS = 24;
/** Letters of a failure's key, and of a name. */
const SHORT = 8;
const NAME = 40;
/** A run that changes something between the failures is told and ended at so many times as many. */
const PATIENCE = 2;

/**
 * Counts failures that are alike, whatever else is new, and whatever the arguments: by tool, and by program for a shell. They
 * are told, and told again at each doubling, then end the run, later if it changes something in between. A success of the same
 * tool or program, or another failure, starts afresh.
 */
export const alikeGuard = ({ failures }: Config, scope: LoopScope) =>
  builtIn<'alike', State>({
    name: 'alike',
    ...loopState(scope),
    initial: { failing: {} },
    hooks: {
      result: ({ failing }, { session, call, result, tool }) => {
        if (!wasRun(result)) return undefined;
        const actor = actorOf(call, tool);
        if (!hasFailed(call, result, tool) || result.progress !== undefined) {
          if (isAnswer(call, result, tool) && (result.exitCode ?? 0) !== 0) return undefined;
          const worked = isNewWork(session, { call, result, tool });
          const others = Object.entries(failing).filter(([name]) => name !== actor);
          const kept = others.map(([name, one]) => [name, worked ? { ...one, worked } : one]);
          return kept.length > 0 || own(failing, actor)
            ? { state: { failing: Object.fromEntries(kept) } }
            : undefined;
        }
        if (maySucceedLater(call, result, tool) || isPolling(session, call, tool)) return undefined;
        const how = failureKey(call, result).slice(0, SHORT);
        const before = own(failing, actor);
        const same = before?.how === how;
        if (same && before.at === session.version) return undefined;
        const times = same ? before.times + 1 : 1;
        const next = {
          ...{ how, times, at: session.version },
          ...{ told: same ? before.told : 0, worked: same && before.worked },
        };
        const state = { failing: withEntry(failing, actor, next, MAX_ACTORS) };
        const most = failures.halt * (next.worked ? PATIENCE : 1);
        if (most === 0 || times < most) return { state };
        const metadata = { tool: call.name, count: times, limits: { advise: failures.advise, halt: most } };
        const message = guardTexts.failedAlike(call.name, times);
        return { state, verdict: { ...loopHalt('failing_alike', message, metadata), recover: 'never' } };
      },
      batch: (state, { session, done }) => {
        const due = done.find(({ call, tool }) => {
          const one = own(state.failing, actorOf(call, tool));
          return one?.at === session.version && isDue(one, failures);
        });
        const actor = due && actorOf(due.call, due.tool);
        const one = actor === undefined ? undefined : own(state.failing, actor);
        if (!due || !one || actor === undefined) return undefined;
        const told = { failing: { ...state.failing, [actor]: { ...one, told: one.times } } };
        const { advise, halt } = failures;
        const metadata = { tool: due.call.name, count: one.times, limits: { advise, halt } };
        const text = guardTexts.failsLikeBefore(due.call.name, one.times);
        return {
          state: told,
          unsaid: state,
          verdict: loopNudge('failing_alike', text, one.told > 0, metadata),
        };
      },
    },
  });

/** A run that changes something in between is told later: it may be on its way, as a bisection of 64 commits is. */
const isDue = ({ times, told, worked }: Failing, { advise }: Config['failures']): boolean =>
  advise > 0 && times >= (worked ? PATIENCE * advise + 1 : advise) && (told === 0 || times >= 2 * told);

/** `bash make`, or the name of a tool. */
function actorOf(call: ToolCall, tool: ToolFacts | undefined): string {
  const command = isShell(call.name, tool) ? commandOf(call)?.trim() : undefined;
  const program = command?.split(/\s+/).find((word) => !word.includes('=')) ?? '';
  return `${call.name} ${program}`.trim().slice(0, NAME);
}
