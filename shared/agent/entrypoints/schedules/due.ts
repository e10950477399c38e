/** Handles a message of the step queue that names schedules. */

import type { DueSchedules } from '../../../contract/queue.ts';
import type { DeclaredSchedule } from '../../define/schedule.ts';
import type { TickContext } from './context.ts';
import { storeDeclared } from './sync.ts';
import { type Ticked, tickAll } from './ticks.ts';

/** The ports of {@link runDue}, and the schedules of this deployment's definition. */
export type DueContext = Omit<TickContext, 'messageOf'> & { readonly declared: readonly DeclaredSchedule[] };

/** Never to be repeated by the queue: the next sweep brings what is left. */
export async function runDue(
  { schedules: keys, declared }: DueSchedules,
  context: DueContext,
): Promise<Ticked> {
  const { io, schedules } = context;
  if (declared) await storeDeclared(context.declared, { ...io, schedules });
  const messageOf = (id: string) => context.declared.find(({ name }) => name === id)?.message;
  return tickAll(keys, { ...context, messageOf });
}
