import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSlackJobs } from '../../../shared/aws/slack-jobs.ts';
import { SlackJob } from '../../../shared/slack/jobs.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../../support/embedded-aws.ts';

let aws: EmbeddedAws;
beforeAll(async () => {
  aws = await startEmbeddedAws();
});
afterAll(() => aws.stop());

/** The job as it arrives. */
async function sent(job: SlackJob): Promise<SlackJob> {
  const url = await aws.createQueue(`jobs-${job.kind}-${job.tries}`);
  await createSlackJobs(aws.clients.sqs(), url).send(job);
  const { Messages } = await aws.clients.sqs().send(new ReceiveMessageCommand({ QueueUrl: url }));
  return SlackJob.parse(JSON.parse(Messages?.[0]?.Body ?? ''));
}

const command = (text: string, tries: number): SlackJob => ({
  ...{ kind: 'command', team: 'T1', channel: 'C1', user: 'U1', trigger: 't', at: 1 },
  ...{ text, tries },
});

test('a job of Slack arrives whatever its text holds: emoji, and characters that SQS refuses', async () => {
  const job = command('🦊 nul \u0000, none \uffff \ufffe, "quoted" \\', 0);
  expect(await sent(job)).toEqual(job);
});
