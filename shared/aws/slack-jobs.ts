import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { MAX_DELAY_MS } from '../agent/session/wake.ts';
import type { SlackJob, SlackJobs } from '../slack/jobs.ts';
import { inXml } from './in-xml.ts';

/** How jobs lie on their queue. */
export interface JobSeal {
  /** The body of a job's message. @param team its workspace */
  seal(job: SlackJob, team: string): Promise<string>;
  /** The job's JSON, from a body that may be from before the option. */
  open(body: string): Promise<string>;
}

/** Slack jobs on SQS, with the workspace as message group. */
export const createSlackJobs = (
  client: SQSClient,
  queueUrl: string,
  { seal }: Pick<JobSeal, 'seal'> = { seal: async (job) => inXml(job) },
): SlackJobs => ({
  async send(job, delayMs = 0) {
    const team = teamOf(job);
    const MessageBody = await seal(job, team);
    const seconds = Math.ceil(Math.min(MAX_DELAY_MS, Math.max(0, delayMs)) / 1000);
    await client.send(
      new SendMessageCommand({
        QueueUrl: queueUrl,
        MessageBody,
        MessageGroupId: team,
        DelaySeconds: seconds,
      }),
    );
  },
});

function teamOf(job: SlackJob): string {
  switch (job.kind) {
    case 'message':
      return job.message.place.team;
    case 'say':
    case 'pane':
    case 'whisper':
      return job.place.team;
    case 'command':
    case 'trigger':
    case 'home':
    case 'uninstall':
    case 'stop':
      return job.team;
    default:
      return job satisfies never;
  }
}
