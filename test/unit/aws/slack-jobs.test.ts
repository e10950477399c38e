import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { jobSeal } from '../../../shared/aws/sealed-slack-jobs.ts';
import { createSlackJobs, type JobSeal } from '../../../shared/aws/slack-jobs.ts';
import { SlackJob } from '../../../shared/slack/jobs.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../../support/embedded-aws.ts';

let aws: EmbeddedAws;
beforeAll(async () => {
  aws = await startEmbeddedAws();
});
afterAll(() => aws.stop());

/** The job as it arrives. */
async function sent(job: SlackJob, seal?: JobSeal): Promise<SlackJob> {
  const url = await aws.createQueue(`jobs-${job.kind}-${job.tries}`);
  await createSlackJobs(aws.clients.sqs(), url, seal).send(job);
  const { Messages } = await aws.clients.sqs().send(new ReceiveMessageCommand({ QueueUrl: url }));
  return SlackJob.parse(JSON.parse(Messages?.[0]?.Body ?? ''));
}

const command = (text: string, tries: number): SlackJob => ({
  ...{ kind: 'command', team: 'T1', channel: 'C1', user: 'U1', trigger: 't', at: 1 },
  ...{ text, tries },
});

const oddText = '🦊 nul \u0000, none \uffff \ufffe, "quoted" \\';

test('a job of Slack arrives whatever its text holds: emoji, and characters that SQS refuses', async () => {
  const job = command(oddText, 0);
  expect(await sent(job)).toEqual(job);
});

test('so does one that is not sealed, because its workspace belongs to no tenant', async () => {
  const noKeys = () => Promise.reject(new Error('no tenant, no key'));
  const seal = jobSeal({ existing: noKeys, forWriting: noKeys }, async () => undefined);
  const job = command(oddText, 1);
  expect(await sent(job, seal)).toEqual(job);
});
