import { limitOf, sizeOf } from '../context/size.ts';
import { withinBudget } from '../guardrails/context/injections.ts';
import { afterMessage, judge } from '../guardrails/judge.ts';
import type { Session } from '../session/session.ts';
import type { ModelSlot } from '../session/slots.ts';
import { timingIn } from '../session/timing.ts';
import type { TextOnly } from '../session/verdict.ts';
import { internal, textOnlyOf } from '../step/model/told.ts';
import { type Before, type Heard, halted, heardAt, type Rules, type Watched } from './watched.ts';

/** A step up to its model request. */
export interface Asked extends Watched {
  /** Set if the model may only write text. */
  readonly textOnly?: TextOnly;
}

/** Asks the guards before any work. `asked` is absent for a step of which nothing is stored. */
export function watchPreflight(
  { session, history, now }: Before,
  asked: ModelSlot | undefined,
  rules: Rules,
): Asked {
  const { pinned, guards } = rules;
  const waiting = [...session.nudges, ...(asked?.input ?? []).filter(({ eventId }) => eventId !== undefined)];
  const admitted = judge(guards, 'preflight', session, {
    now,
    cancelled: false,
    attempts: asked?.at === undefined ? 1 : (timingIn(asked.at).attempt ?? 1),
    abandoned: false,
    resources: {},
    asked: asked?.textOnly?.code === 'wrap_up' ? ['wrap_up'] : [],
    fullness: () =>
      sizeOf({ slots: history, session, pinned, waiting }) / limitOf(pinned, session.run?.fallback),
    shrinks: () => false,
  });
  const heard = heardAt(admitted.spoken);
  if (admitted.verdict?.kind === 'halt') return halted(admitted.session, heard, admitted.verdict, rules);
  const textOnly = textOnlyOf(admitted);
  return { session: admitted.session, heard, ...(textOnly && { textOnly }) };
}

/** Lets the guards tell the model what they want to, within the budget of the step. */
export function watchInput(
  before: Omit<Before, 'now'>,
  { input }: Pick<ModelSlot, 'input'>,
  textOnly: TextOnly | undefined,
  { pinned, guards }: Rules,
): { readonly session: Session; readonly heard: readonly Heard[] } {
  const { session, history } = before;
  const { nudges } = session;
  const said = input.flatMap(({ text, eventId, internal }) => (eventId && !internal ? [text] : []));
  const now = input.some(({ eventId }) => eventId) ? afterMessage(guards, session) : session;
  const advice = judge(guards, 'inject', now, {
    said,
    textOnly: textOnly !== undefined,
    context: { tokens: () => sizeOf({ slots: history, session, pinned, waiting: [] }), slots: history },
  });
  const order = textOnly ? [internal(textOnly.code, textOnly.text)] : [];
  const told = withinBudget(advice, [...nudges, ...order], pinned.guardrails.injections);
  return {
    session: { ...told.session, nudges: [] },
    heard: heardAt([...told.lost, ...told.spoken]),
  };
}
