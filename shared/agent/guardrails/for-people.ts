import { own } from '../plain/merge.ts';
import type { RuleMetadata, Spoken } from '../session/verdict.ts';

type Words = string | ((facts: RuleMetadata) => string);

const cut = 'The reply was cut off at the output limit.';
const noChange: Words = ({ count }) => `${count} steps in a row have changed nothing.`;
const lastWord = 'The budget is used up: the model says a last word.';

/** Sentences by code. The text for the model is for the model alone, so a code without words of its own gets these. */
const words: Readonly<Record<string, Words>> = {
  doom_loop: ({ tool, count }) =>
    `${tool} was called ${count} times in a row with the same arguments, or nearly so.`,
  cycle: ({ tool, count }) => `${tool} was asked for ${count} times, and nothing new has come of it.`,
  same_change: ({ tool, count }) =>
    `${tool} was called ${count} times with the same arguments, with the same outcome each time.`,
  failing_alike: ({ tool, count }) => `${tool} has failed ${count} times in the same way.`,
  same_answer: ({ tool, count }) => `${tool} has answered the same ${count} times in a row.`,
  identical_reads: ({ tool, count }) =>
    `${tool} was asked for the same thing ${count} times, and nothing has changed since.`,
  reads_left: ({ count, limits }) => `${count} of the ${limits?.budget} reads of this run are used.`,
  no_mutation_1: noChange,
  no_mutation_2: noChange,
  no_mutation_3: noChange,
  exploration: 'Much has been looked at, and nothing was changed.',
  failed_tests: ({ count }) => `The tests have failed ${count} times in a row.`,
  failed_shells: ({ count }) => `${count} commands in a row have failed.`,
  only_talk: ({ count }) => `The last ${count} replies only talk.`,
  siblings: ({ count }) => `Agents have repeated ${count} reads of one another.`,
  looks_done: 'An assessment says that the goal is reached.',
  looks_stuck: 'An assessment says that the run makes no progress.',
  shell_pivot: 'Commands fail for want of something where they run.',
  failing: ({ tool, count }) => `${count} steps in a row have ended in a failure of ${tool}.`,
  failures_left: ({ count }) => `The model was reminded of ${count} failures.`,
  recitation: 'The model was reminded of its task.',
  orientation: 'The model was reminded of what it has inspected.',
  go_on: 'The conversation was made shorter: the model was told to go on.',
  truncated_calls: cut,
  max_tokens_recovery: cut,
  malformed_call: 'A call was written as text, and was not run.',
  thinking_only: 'The reply was nothing but thinking.',
  empty_response: 'The reply was empty.',
  premature_end: 'The model ended its turn without a word, after a failure.',
  planning_prose: 'The reply announces an action and takes none.',
  artifact_missing: 'A file that was asked for has not been written.',
  status_only: 'The answer names a state and nothing else.',
  wants_files_changed: 'The task asks for a change, and no file has been changed.',
  wants_verification_ran: 'Nothing has been verified since the last change.',
  wants_verification_passed: 'No verification has passed since the last change.',
  reflect: 'The model examines its answer.',
  answer_unfit: 'The answer is not the object that was asked for.',
  next_task: ({ count }) => `${count} tasks are open: the model is to go on with the next one.`,
  force_text: 'Most of the budget is used: the model may only answer.',
  token_budget: lastWord,
  cost_limit: lastWord,
  grace_step: 'The limit of steps is reached: the model says a last word.',
  wrap_up: 'The run was asked to sum up.',
  intent_accepted: 'The answer announces what was not done; it was sent back, and stands now.',
  unverified_accepted: 'The answer stands without the proof that was asked for.',
  status_only_accepted: 'The answer names a state and nothing else; it was sent back, and stands now.',
  compile_errors: ({ count }) =>
    `TypeScript does not compile: ${count === 1 ? '1 error' : `${count} errors`}.`,
  compile_errors_left: 'The answer stands, and TypeScript does not compile.',
  repair: 'The verification has failed: the model is to repair that.',
  open_tasks_left: 'The answer stands, and tasks are left open.',
  unsure_accepted: 'The model has examined its answer, and is not sure enough of it; the answer stands.',
  thinking_promoted: 'The model only thought: what it thought is the answer.',
};

/** A verdict as a sentence for people. */
export function forPeople(spoken: Pick<Spoken, 'kind' | 'code' | 'guard' | 'message' | 'metadata'>): string {
  const { kind, code, guard, message, metadata = {} } = spoken;
  if (message !== undefined) return message;
  const known = own(words, code);
  if (known !== undefined) return typeof known === 'string' ? known : known(metadata);
  return kind === 'flag'
    ? `The guard ${guard} has accepted the answer.`
    : `The guard ${guard} has advised the model.`;
}
