import type * as z from 'zod';
import type { NoMutation } from '../../config/loop.ts';
import { isShell, proofOf, type ToolFacts } from '../../session/facts.ts';
import { guardTexts } from '../../texts/guards.ts';
import { words } from '../../words/words.ts';
import type { Done } from '../guard.ts';
import { builtIn } from '../guard-codes.ts';
import type { asksForChanges } from '../proof/verification.ts';
import { classify } from './classify.ts';
import { type LoopScope, loopNudge } from './loop-guard.ts';

type Config = z.output<typeof NoMutation>;

/** `asks`: a message of the run asks for more than information. */
type State = { steps: number; said: boolean; asks: boolean };

/**
 * Asks a run that only explores to act, then orders it to, then orders it at every step. Only if the run is to change something
 * and has a tool for it: otherwise tasks that only read would be pushed into edits.
 *
 * @param asked whether the completion contract asks for changes
 */
export const noMutationGuard = (
  { levels, when, steps: counted, once }: Config,
  asked: ReturnType<typeof asksForChanges>,
  scope: LoopScope,
) => {
  const isOff = levels.length === 0 || asked === 'no' || (asked === 'open' && when === 'contract');
  return builtIn<'no_mutation', State>({
    name: 'no_mutation',
    scope: once || scope === 'session' ? 'session' : 'run',
    forgetsOnHalt: once || scope === 'session',
    initial: { steps: 0, said: false, asks: false },
    hooks: {
      inject: (state, { session, said }) => {
        if (isOff || said.length === 0) return undefined;
        const begins = session.run?.steps === 0 && (once || scope === 'session');
        const asks = (!begins && state.asks) || asked === 'always' || !said.every(words().isInformational);
        // A message resets the count, but the requested change stays the run's task.
        return { state: scope === 'message' && !once ? { steps: 0, said: false, asks } : { ...state, asks } };
      },
      batch: (state, { done, tools }) => {
        if (isOff) return undefined;
        const acted = counted === 'only_reads' ? !done.every(onlyReads) : done.some(hasChanged);
        if (acted) return { state: { ...state, steps: 0 } };
        const next = { ...state, steps: state.steps + 1 };
        const { steps } = next;
        const level = levels.filter((at) => steps >= at).length as 0 | 1 | 2 | 3;
        const silent = level === 0 || !state.asks || !tools.some((tool) => changes(tool.name, tool));
        if (silent || (once && state.said)) return { state: next };
        const again = state.said && steps > (levels.at(-1) ?? 0);
        const verdict = loopNudge(`no_mutation_${level}`, guardTexts.noMutation(steps, level), again, {
          count: steps,
          limits: Object.fromEntries(levels.map((at, i) => [`level${i + 1}`, at])),
        });
        return { state: { ...next, said: true }, unsaid: next, verdict };
      },
    },
  });
};

const hasChanged = ({ call, result, tool }: Done): boolean =>
  (result.outcome === 'ok' && changes(call.name, tool)) || proofOf(call, result, tool).changed.length > 0;

const onlyReads = ({ call, tool }: Done): boolean =>
  classify(call.name, tool?.effect ?? 'unknown') === 'idempotent' && !isShell(call.name, tool);

/** A shell may change anything, but that it ran proves nothing. */
const changes = (name: string, tool: ToolFacts | undefined): boolean =>
  classify(name, tool?.effect ?? 'unknown') === 'mutating' && !isShell(name, tool);
