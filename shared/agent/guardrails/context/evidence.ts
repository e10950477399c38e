import { redacted } from '../../plain/redacted-json.ts';
import { callsOf } from '../../session/reply.ts';
import type { Session } from '../../session/session.ts';
import type { Slot, ToolCall } from '../../session/slots.ts';
import { reminders } from '../../texts/reminders.ts';
import { kindOfFailure } from './failure-kinds.ts';
import { about, ERROR_CHARS, type FailuresState, type RecordedFailure } from './recorded-failure.ts';

/** Characters of arguments that are shown. */
const ARGUMENTS_CHARS = 160;

/** The text about failed calls for the model. */
export const evidenceOf = (
  failures: readonly RecordedFailure[],
  session: Session,
  slots: readonly Slot[],
): string =>
  reminders.failuresLeft(failures.map((failure) => lineOf(failure, callOf(failure, session, slots))));

/** The unresolved failures of a session's run, one line each, the latest last. */
export const failuresIn = ({ metadata }: Session): string[] => {
  const { unresolved = [] } = (metadata.guardrails.failures ?? {}) as Partial<FailuresState>;
  return unresolved.map((failure) => lineOf(failure, undefined));
};

/** The call that failed, if the context still has it. */
function callOf(
  { tool, target, step }: RecordedFailure,
  { run }: Session,
  slots: readonly Slot[],
): ToolCall | undefined {
  const asked = slots.find(
    (slot) => slot.kind === 'model' && slot.reply && slot.runId === run?.id && slot.step === step,
  );
  if (asked?.kind !== 'model' || !asked.reply) return undefined;
  return callsOf(asked.reply).find((call) => call.name === tool && about(call) === target);
}

/** For a call that left the context, only its target is known, unless that is a hash. */
function lineOf({ tool, target, error }: RecordedFailure, call: ToolCall | undefined): string {
  const kind = kindOfFailure(error);
  const what = call ? redacted(call.input, ARGUMENTS_CHARS) : /^[0-9a-f]{12}$/.test(target) ? '' : target;
  const plain = redacted(error.replace(/^Error \[\w+]: /, ''), ERROR_CHARS + 40);
  return `- ${`${tool} ${what}`.trim()}: ${kind}: ${plain} ${reminders.failureAdvice[kind]}`;
}
