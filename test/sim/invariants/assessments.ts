/** Invariant 46: assessments of a run's progress. Checked at commits. */

import { isAssessment } from '../../../shared/agent/session/slots.ts';
import type { Checks } from '../ledger.ts';
import type { Committed } from './commits.ts';

/** Findings in a row that end a run. */
export const MOST_STUCK = 2;

export const assessmentChecks: Checks<Committed> = {
  '46 a step that assesses does nothing else': ({ slots, before, after }) => {
    const found = slots.find((slot) => slot && isAssessment(slot));
    if (!found || !isAssessment(found)) return undefined;
    const alone = slots.length === 1 && !found.reply && found.input.length === 0;
    const sameSteps = before.session.run?.steps === after.session.run?.steps;
    return alone && sameSteps && !after.session.batch ? undefined : JSON.stringify(slots);
  },

  '46 a finding was served': ({ slots, facts }) => {
    for (const slot of slots) {
      if (!slot || !isAssessment(slot)) continue;
      const { bought, finding } = slot.assessment;
      const served = bought && facts.served.assessments.get(bought.messageId);
      if (bought ? served?.finding !== finding || served.input !== bought.usage.input : finding !== 'unclear')
        return `${JSON.stringify(slot.assessment)}; served was ${JSON.stringify(served)}`;
    }
    return undefined;
  },

  '46 a run that was found stuck twice in a row is not asked about again': ({ slots, facts, after }) => {
    const last = slots.at(-1);
    if (!last || !isAssessment(last)) return undefined;
    const stuck = stuckIn(facts, after.session.run?.id);
    return stuck > MOST_STUCK ? `it was found stuck ${stuck} times in a row` : undefined;
  },
};

/** Findings in a row, since a person has last said something, that the run is stuck. */
export const stuckIn = ({ stored }: Committed['facts'], runId: string | undefined): number =>
  stored
    .filter((slot) => slot.runId === runId)
    .reduce((stuck, slot) => {
      if (slot.kind === 'model' && slot.input.some(({ eventId, internal }) => eventId && !internal)) return 0;
      if (!isAssessment(slot) || slot.assessment.finding === 'unclear') return stuck;
      return slot.assessment.finding === 'stuck' ? stuck + 1 : 0;
    }, 0);
