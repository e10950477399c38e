/** Checks of a stack's account by its outputs: room for its functions, and subscribers of its alarms. */

import type { AccountReader } from '../../local/doctor-account.ts';
import { type Finding, look, ok, reading, wrong } from './finding.ts';

/** AWS keeps this much of an account's concurrency unreserved (https://docs.aws.amazon.com/lambda/latest/dg/configuration-concurrency.html). */
const KEPT = 100;

const MORE =
  'Ask for more in Service Quotas (Lambda, Concurrent executions), or lower concurrency.steps: docs/operating.md#concurrency.';

/** @param outputs of one stack or several: each output's name begins with the path of its construct */
export async function accountOf(
  outputs: Readonly<Record<string, string>>,
  aws: AccountReader,
): Promise<Finding[]> {
  const named = (end: string) =>
    Object.entries(outputs).flatMap(([name, value]) => (name.endsWith(end) ? [value] : []));
  const queues = named('StepQueueUrl');
  const topics = named('AlarmsTopicArn');
  return Promise.all([
    ...queues.map((queue) => reading('concurrency', () => concurrencyOf(queue, aws))),
    ...topics.map((topic) => reading('alarms', () => alarmsOf(topic, aws))),
    ...(queues.length > 0 && topics.length === 0
      ? [
          look(
            'alarms',
            'No topic hears of them.',
            'Set alarms.email or alarms.topic of the construct: docs/operating.md#alarms.',
          ),
        ]
      : []),
  ]);
}

async function concurrencyOf(queueUrl: string, aws: AccountReader): Promise<Finding> {
  const [{ limit, unreserved }, steps] = await Promise.all([
    aws.concurrency(queueUrl),
    aws.stepsAtOnce(queueUrl),
  ]);
  const room = `The account runs ${limit} functions at once, of which ${limit - unreserved} are reserved`;
  if (steps !== undefined && steps > unreserved)
    return wrong('concurrency', `${room}, and this deployment runs up to ${steps} steps.`, MORE);
  return unreserved <= KEPT
    ? look('concurrency', `${room}: no function can reserve more.`, MORE)
    : ok('concurrency', `${room}${steps === undefined ? '' : `; up to ${steps} steps run`}.`);
}

async function alarmsOf(topicArn: string, aws: AccountReader): Promise<Finding> {
  const { confirmed, pending } = await aws.listeners(topicArn);
  if (confirmed > 0) return ok('alarms', `Their topic has ${confirmed} subscribers.`);
  return pending > 0
    ? wrong(
        'alarms',
        `${pending} subscriptions of their topic wait for a confirmation.`,
        'Open the link in the mail from AWS Notifications.',
      )
    : wrong(
        'alarms',
        'Their topic has no subscriber.',
        'Set alarms.email of the construct, or subscribe to the topic: docs/operating.md#alarms.',
      );
}
