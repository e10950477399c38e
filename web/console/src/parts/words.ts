import type { Reason, State } from '../../../../shared/contract/session.ts';

/** States of a session, for people. */
export const stateWords: Readonly<Record<State, string>> = {
  idle: 'Starting',
  running: 'Running',
  waiting_for_tool: 'Waiting for a tool',
  waiting_for_input: 'Waiting for people',
  completed: 'Completed',
  error: 'Failed',
  cancelled: 'Stopped',
  timed_out: 'Timed out',
  max_steps: 'Out of steps',
  budget_exceeded: 'Out of budget',
};

/** Reasons, for people. */
export const reasonWords: Readonly<Record<Reason, string>> = {
  completed: 'Completed with an answer',
  completed_truncated: 'The answer was cut at the output limit',
  completed_empty: 'The model replied with nothing',
  cancelled: 'Stopped by a person',
  timed_out: 'Exceeded its time limit',
  max_steps: 'Used all its steps',
  max_tool_calls: 'Used all its tool calls',
  token_budget: 'Used all its tokens',
  cost_limit: 'Used its whole cost limit',
  tenant_budget: 'The tenant’s daily budget is used up',
  context_limit: 'The conversation exceeds the context window',
  resource_limit: 'The worker ran out of memory, disk or files',
  loop_halt: 'Stopped in a loop',
  tool_error: 'Tools kept failing',
  model_error: 'The model’s replies could not be used',
  provider_error: 'The model server refused or was unavailable',
  incomplete_action: 'The model announced work that it did not do',
  open_tasks: 'Tasks are still open',
  verification_failed: 'Verification failed',
  answer_invalid: 'The output does not match its schema',
  blocked: 'The model refused to answer',
  internal_error: 'A guard threw an error',
  crash_loop: 'Workers kept dying at the same step',
  awaiting_approval: 'Waiting for approval',
  awaiting_user: 'Waiting for a reply',
  awaiting_callback: 'Waiting for a callback',
  awaiting_child: 'Waiting for other agents',
  awaiting_timer: 'Waiting for a set time',
};

/** How a state looks: in progress, needs a person, failed, succeeded, or neutral. */
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

/** USD, to a hundredth of a cent; a smaller amount is not shown as zero. */
export const usd = (amount: number): string =>
  amount > 0 && amount < 0.0001 ? '< $0.0001' : dollars.format(amount);

const whole = new Intl.NumberFormat('en');
export const count = (n: number): string => whole.format(n);
/** Ms in readable units. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const minutes = Math.round(ms / 60_000);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
