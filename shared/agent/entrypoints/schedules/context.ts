import type { Agent } from '../../define/agent.ts';
import type { ScheduleMessage } from '../../define/schedule.ts';
import type { OutboundStore } from '../../outbound/destination.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Schedules } from '../../schedules/store.ts';
import type { PriceOf } from '../../session/pinned.ts';

/** Ports and code that the ticks of schedules need. */
export interface TickContext {
  readonly io: Pick<Ports, 'clock' | 'sessions' | 'inbox' | 'queue' | 'listings'> & {
    readonly outbound: Pick<OutboundStore, 'put'>;
  };
  readonly schedules: Schedules;
  readonly agentOf: (name: string) => Agent | undefined;
  readonly priceOf: PriceOf;
  /** Whether an API key is good: what it has created ends with it. */
  readonly isLive: (keyId: string) => Promise<boolean>;
  /** The message of a schedule of the definition, by its id; undefined if this deployment does not have it. */
  readonly messageOf: (id: string) => ScheduleMessage | undefined;
}
