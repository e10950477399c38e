import { randomUUID } from 'node:crypto';
import { ACCOUNT, REGION } from '../identity.ts';
import type { LambdaFunction } from '../lambda/function.ts';
import type { Json } from '../template/types.ts';
import { rateMs } from './rate.ts';

/** A schedule as its template declares it. */
export interface ScheduleSettings {
  arn: string;
  /** `rate(...)`. */
  expression: string;
  /** `aws.events` for EventBridge rules, `aws.scheduler` for schedules. */
  source: 'aws.events' | 'aws.scheduler';
  /** The target's own input, sent instead of the event. */
  input: Json | undefined;
}

/**
 * Invokes the function at every interval, first after one interval. Returns a function that stops it.
 * Throws for expressions other than rate(...). A failed invocation is not retried (EventBridge would, twice).
 */
export function startSchedule(settings: ScheduleSettings, target: LambdaFunction): () => void {
  const fire = (): void => {
    void target.invoke(settings.input === undefined ? scheduledEvent(settings) : settings.input, 'wait');
  };
  const timer = setInterval(fire, rateMs(settings.expression));
  return () => clearInterval(timer);
}

/** The event that a schedule sends when its target names no input. */
export function scheduledEvent(settings: ScheduleSettings, now = new Date()): object {
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': 'Scheduled Event',
    source: settings.source,
    account: ACCOUNT,
    time: now.toISOString().replace(/\.\d+Z$/, 'Z'),
    region: REGION,
    resources: [settings.arn],
    detail: settings.source === 'aws.events' ? {} : '{}',
  };
}
