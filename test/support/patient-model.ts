import type { Step } from './model-server.ts';
import { type AskedModel, callTools, type RuleModel, ruleModel, sayText, sayTextHeld } from './rule-model.ts';

/**
 * A model for pages that people try out. It answers `slowly` with half a text, `pay` with a call that needs approval,
 * and anything else with the word that it is done.
 */
export interface PatientModel extends RuleModel {
  /** Lets it send the other half. */
  goOn(): void;
}

/** @param more further rules */
export async function patientModel(
  more: (asked: AskedModel) => Step | undefined = () => undefined,
): Promise<PatientModel> {
  let goOn = () => {};
  const model = await ruleModel((asked) => {
    const { lastText, turn } = asked;
    if (lastText === 'slowly') {
      const held = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      return sayTextHeld('The beginning', held, ' and the end.');
    }
    if (lastText === 'pay' && turn === 0) return callTools(['transfer', { n: 7 }]);
    return more(asked) ?? sayText('Done.');
  });
  return { ...model, goOn: () => goOn() };
}
