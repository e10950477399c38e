import { canonicalJson, hash } from '../plain/hash.ts';
import { redacted } from '../plain/redact.ts';
import { isAnswer, targetOf } from '../session/facts.ts';
import { callsOf } from '../session/reply.ts';
import type { Session } from '../session/session.ts';
import type { Slot, ToolCall } from '../session/slots.ts';
import { texts } from '../texts.ts';
import { kindOfFailure } from './failure-kinds.ts';
import { builtIn } from './said.ts';

/** A failed call that no later call has made good. */
export type RecordedFailure = {
  readonly tool: string;
  /** The path or command that the call is about, or a hash of its arguments. */
  readonly target: string;
  /** The head of the error; no arguments, which may hold secrets. */
  readonly error: string;
  readonly step: number;
};

type State = {
  readonly unresolved: readonly RecordedFailure[];
  /** Step of the last failure that the model was reminded of. */
  readonly told: number;
};

/** Failures that are kept, the latest ones (T11: 30), and bytes of JSON for all of them: they are part of HEAD, which is written twice a step. */
const MAX_FAILURES = 30;
const MAX_BYTES = 4_000;
/** Characters that are kept of an error, and of a target and a tool's name. */
const ERROR_CHARS = 120;
const NAME_CHARS = 80;
/** Characters of arguments that are shown. */
const ARGUMENTS_CHARS = 160;

/**
 * Records the failures of a run, and reminds the model of the last ones when there is a new one (T27, T11). One that the same
 * tool later makes good on the same target is dropped.
 *
 * @param shown how many it is reminded of; 0 = it is not
 */
export const failuresGuard = (shown: number) =>
  builtIn<'failures', State>({
    name: 'failures',
    scope: 'run',
    initial: { unresolved: [], told: 0 },
    hooks: {
      result: (state, { session, call, result, tool }) => {
        const { unresolved } = state;
        if (result.outcome === 'refused' || result.outcome === 'cancelled') return undefined;
        const name = call.name.slice(0, NAME_CHARS);
        const target = about(call);
        const others = unresolved.filter((failure) => failure.tool !== name || failure.target !== target);
        const exited = (result.exitCode ?? 0) !== 0 && !isAnswer(call, result, tool);
        if (result.outcome === 'ok' && !exited) {
          return others.length < unresolved.length ? { state: { ...state, unresolved: others } } : undefined;
        }
        const error = result.content.slice(0, ERROR_CHARS);
        const failure = { tool: name, target, error, step: session.run?.steps ?? 0 };
        return { state: { ...state, unresolved: bounded([...others, failure]) } };
      },
      inject: (state, { session, textOnly, context }) => {
        const last = state.unresolved.slice(-shown);
        const newest = last.at(-1)?.step ?? 0;
        if (shown === 0 || textOnly || newest <= state.told) return undefined;
        const lines = last.map((failure) => lineOf(failure, callOf(failure, session, context.slots)));
        return {
          state: { ...state, told: newest },
          verdict: {
            kind: 'nudge',
            code: 'failures_left',
            text: texts.failuresLeft(lines),
            metadata: { count: last.length },
            again: true,
            beside: true,
          },
        };
      },
    },
  });

/** The failures of a session's run that nothing has made good, the latest last: in a line each. */
export const failuresIn = ({ metadata }: Session): string[] => {
  const { unresolved = [] } = (metadata.guardrails.failures ?? {}) as Partial<State>;
  return unresolved.map((failure) => lineOf(failure, undefined));
};

const about = (call: ToolCall): string =>
  targetOf(call)?.slice(0, NAME_CHARS) ?? hash(canonicalJson(call.input), 12);

const utf8 = new TextEncoder();

/** The latest that fit. */
function bounded(failures: readonly RecordedFailure[]): readonly RecordedFailure[] {
  let room = MAX_BYTES;
  const latest = failures.slice(-MAX_FAILURES);
  const tooOld = latest.findLastIndex((failure) => {
    room -= utf8.encode(JSON.stringify(failure)).length;
    return room < 0;
  });
  return latest.slice(tooOld + 1);
}

/** The call that failed, where the context still has it. */
function callOf(
  { tool, target, step }: RecordedFailure,
  { run }: Session,
  slots: readonly Slot[],
): ToolCall | undefined {
  const asked = slots.find(
    (slot) => slot.kind === 'model' && slot.reply && slot.runId === run?.id && slot.step === step,
  );
  if (asked?.kind !== 'model' || !asked.reply) return undefined;
  return callsOf(asked.reply.content).find((call) => call.name === tool && about(call) === target);
}

/** Of a call that the context has no more, what is known of it is its target, unless that is a hash. */
function lineOf({ tool, target, error }: RecordedFailure, call: ToolCall | undefined): string {
  const kind = kindOfFailure(error);
  const what = call ? redacted(call.input, ARGUMENTS_CHARS) : /^[0-9a-f]{12}$/.test(target) ? '' : target;
  const plain = redacted(error.replace(/^Error \[\w+]: /, ''), ERROR_CHARS + 40);
  return `- ${`${tool} ${what}`.trim()}: ${kind}: ${plain} ${texts.failureAdvice[kind]}`;
}
