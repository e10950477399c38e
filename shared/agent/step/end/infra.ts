import type { AgUiEvent, StepUsage } from '../../../contract/events.ts';
import { addUsd } from '../../../contract/money.ts';
import { charge } from '../../session/charge.ts';
import { noTotals, runOf } from '../../session/session.ts';
import type { Draft } from '../draft.ts';

/**
 * Adds the infrastructure cost of a step to the totals of run and session, and to its usage event. The cost is known only when
 * everything but the commit is done, so it belongs to the step, not to the reply; steps without a model call have it too. Pure.
 *
 * @param infraUsd undefined if infrastructure is not counted
 */
export function withInfra<Part extends Pick<Draft, 'session' | 'events'>>(
  draft: Part,
  infraUsd: number | undefined,
): Part {
  if (infraUsd === undefined) return draft;
  const session = charge(draft.session, { ...noTotals, infraUsd });
  const last = draft.events.findLastIndex(isUsage);
  const { totals } = runOf(session);
  const told = (event: AgUiEvent, at: number) =>
    at === last && isUsage(event)
      ? {
          ...event,
          value: { ...event.value, infraUsd, togetherUsd: addUsd(event.value.costUsd, infraUsd), totals },
        }
      : event;
  return { ...draft, session, events: draft.events.map(told) };
}

const isUsage = (
  event: AgUiEvent,
): event is Extract<AgUiEvent, { name: 'steploop.usage' }> & { value: StepUsage } =>
  event.type === 'CUSTOM' && event.name === 'steploop.usage';
