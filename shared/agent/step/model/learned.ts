import type { AgUiEvent } from '../../../contract/events.ts';
import { modelAt } from '../../session/pinned.ts';
import { type LearnedRule, withRules } from '../../session/server-rules.ts';
import { runOf } from '../../session/session.ts';
import type { Step } from '../open/step-context.ts';
import type { Turn } from './turn.ts';

/** The turn with what the call has revealed about the model's server. People are told it when the step is committed. */
export function withLearned(
  { atCommit, loaded }: Pick<Step, 'atCommit' | 'loaded'>,
  turn: Turn,
  learned: readonly LearnedRule[] | undefined,
): Turn {
  if (!learned) return turn;
  const { session } = turn;
  const { server, model } = modelAt(loaded.pinned, runOf(session).fallback);
  const events = learned.map(
    (rule): AgUiEvent => ({
      type: 'CUSTOM',
      name: 'steploop.server_rule',
      value: { server, model, ...rule },
    }),
  );
  atCommit.push(...events);
  const serverRules = withRules(session.serverRules, { server, model }, learned);
  return { ...turn, session: { ...session, serverRules } };
}
