import middy from '@middy/core';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { TenantKeyDeleted } from '../shared/agent/plain/tenant-key-deleted.ts';
import { errorFacts, log } from '../shared/logger.ts';
import { SlackJob } from '../shared/slack/jobs.ts';
import { slackJobPorts } from './ports/slack.ts';
import { runJob } from './slack/jobs.ts';

const { context, openJob } = slackJobPorts();

/** Consumer of the queue of Slack jobs. A failed job comes back, and after its last try becomes a dead letter. */
export const handler = middy<SQSEvent, SQSBatchResponse>().handler(async ({ Records }) => {
  const outcomes = await Promise.all(Records.map(settle));
  return { batchItemFailures: outcomes.flatMap((failed) => (failed ? [failed] : [])) };
});

async function settle({ messageId, body }: SQSRecord): Promise<{ itemIdentifier: string } | undefined> {
  let job: SlackJob | undefined;
  try {
    job = parse(await openJob(body));
    if (!job) {
      log('error', 'a queue message is not a Slack job', { messageId });
      return { itemIdentifier: messageId };
    }
    await runJob(job, context);
    log('info', 'settled', { job: job.kind, messageId });
    return undefined;
  } catch (error) {
    if (error instanceof TenantKeyDeleted) {
      log('info', 'a message of a tenant whose key was deleted was dropped', {
        tenant: error.tenant,
        messageId,
      });
      return undefined;
    }
    log('error', 'a Slack job failed; its message comes back', {
      job: job?.kind,
      messageId,
      ...errorFacts(error),
    });
    return { itemIdentifier: messageId };
  }
}

function parse(body: string): SlackJob | undefined {
  try {
    return SlackJob.parse(JSON.parse(body));
  } catch {
    return undefined;
  }
}
