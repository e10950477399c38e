import type { Reason, State } from '../../../../shared/contract/session.ts';

/** What a session does, for people. */
export const stateWords: Readonly<Record<State, string>> = {
  idle: 'Begins',
  running: 'Running',
  waiting_for_tool: 'Waits for a tool',
  waiting_for_input: 'Waits for people',
  completed: 'Completed',
  error: 'Failed',
  cancelled: 'Stopped',
  timed_out: 'Took too long',
  max_steps: 'Out of steps',
  budget_exceeded: 'Out of budget',
};

/** Why, for people. */
export const reasonWords: Readonly<Record<Reason, string>> = {
  completed: 'It came to an answer',
  completed_truncated: 'Its answer was cut at the limit of output',
  completed_empty: 'The model said nothing',
  cancelled: 'Somebody stopped it',
  timed_out: 'It took longer than it may',
  max_steps: 'It used all of its steps',
  max_tool_calls: 'It used all of its tool calls',
  token_budget: 'It used all of its tokens',
  cost_limit: 'It used all of its dollars',
  tenant_budget: 'The tenant used what it may in a day',
  context_limit: 'The conversation is longer than the model reads',
  resource_limit: 'The worker ran out of memory, disk or files',
  loop_halt: 'It went round in circles',
  tool_error: 'Its tools failed again and again',
  model_error: 'The model said nothing that could be used',
  provider_error: 'The model’s server refused, or was away',
  incomplete_action: 'It announced what it did not do',
  open_tasks: 'Tasks of its list are open',
  verification_failed: 'The proof that was asked for did not come',
  answer_invalid: 'Its answer is not of the declared shape',
  blocked: 'The model refused to answer',
  internal_error: 'A guard threw',
  crash_loop: 'Its workers died at the same step',
  awaiting_approval: 'Somebody is to approve a call',
  awaiting_user: 'Somebody is to answer',
  awaiting_callback: 'An answer is to come from outside',
};

/** How a state looks: what goes on, what needs somebody, what went wrong, and the rest. */
export type Tone = 'live' | 'warn' | 'bad' | 'good' | 'calm';

export const toneOf = (state: State): Tone => {
  switch (state) {
    case 'running':
    case 'idle':
    case 'waiting_for_tool':
      return 'live';
    case 'waiting_for_input':
      return 'warn';
    case 'error':
    case 'timed_out':
    case 'max_steps':
    case 'budget_exceeded':
      return 'bad';
    case 'completed':
      return 'good';
    case 'cancelled':
      return 'calm';
    default:
      return state satisfies never;
  }
};

const dollars = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 2,
  maximumFractionDigits: 4,
});

/** USD, to a hundredth of a cent; what is less is not nothing. */
export const usd = (amount: number): string =>
  amount > 0 && amount < 0.0001 ? '< $0.0001' : dollars.format(amount);

const whole = new Intl.NumberFormat('en');
export const count = (n: number): string => whole.format(n);
/** Ms as people say it. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const minutes = Math.round(ms / 60_000);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
