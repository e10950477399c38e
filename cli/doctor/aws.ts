/** Checks of a stack by its outputs: secrets that still have their first value, and steps in the dead letter queue. */

import type { AwsReader } from '../../local/doctor-aws.ts';
import type { DeploymentFacts } from '../../shared/contract/facts.ts';
import { type Finding, ok, reading, skipped, wrong } from './finding.ts';

/**
 * @param outputs of one stack or several, as `cdk deploy --outputs-file` writes them: each output's name begins with the path of
 * its construct
 */
export async function stackOf(
  outputs: Readonly<Record<string, string>>,
  facts: Pick<DeploymentFacts, 'models' | 'secrets'> | undefined,
  aws: AwsReader,
): Promise<Finding[]> {
  const ends = (end: string) => Object.entries(outputs).filter(([name]) => name.endsWith(end));
  // Values that another party issues: the random one of the deployment cannot be right.
  const issued = new Set(Object.values(facts?.models ?? {}).flatMap(({ secret }) => secret ?? []));
  const dead = ends('DeadLetterQueueUrl').map(([, url]) =>
    reading('dead letters', async () => {
      const count = await aws.messages(url);
      return count === 0
        ? ok('dead letters', 'No step is there.')
        : wrong(
            'dead letters',
            `${count} steps failed five times.`,
            'docs/operating.md, the alarm of dead letters.',
          );
    }),
  );
  const secrets = [...issued].flatMap((name) =>
    ends(`Secret${pascal(name)}`).map(([, arn]) =>
      reading(name, async () =>
        (await aws.wasSet(arn))
          ? ok(name, 'Its secret has a value of yours.')
          : wrong(
              name,
              'Its secret has the random value that the deployment made.',
              `aws secretsmanager put-secret-value --secret-id ${arn} --secret-string …`,
            ),
      ),
    ),
  );
  const found = await Promise.all([...dead, ...secrets]);
  return found.length > 0 ? found : [skipped('outputs', 'They name no queue and no secret of a deployment.')];
}

/** `ANTHROPIC_API_KEY` in the name of an output: `AnthropicApiKey`. */
const pascal = (name: string): string =>
  name
    .toLowerCase()
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
