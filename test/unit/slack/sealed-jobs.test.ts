import type { SQSClient } from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { TenantKeyDeleted } from '../../../shared/agent/plain/tenant-key-deleted.ts';
import { sealerOf } from '../../../shared/aws/seal.ts';
import { jobSeal } from '../../../shared/aws/sealed-slack-jobs.ts';
import { createSlackJobs } from '../../../shared/aws/slack-jobs.ts';
import type { Sealers } from '../../../shared/aws/tenant-keys.ts';
import { SlackJob } from '../../../shared/slack/jobs.ts';

const sealer = sealerOf(new Uint8Array(32).fill(7));
const living: Sealers = { existing: async () => sealer, forWriting: async () => sealer };
const gone = () => Promise.reject(new TenantKeyDeleted('acme'));
const deleted: Sealers = { existing: gone, forWriting: gone };
const installedBy = (tenant: string | undefined) => async () => tenant;

const whisper: SlackJob = {
  ...{ kind: 'whisper', place: { team: 'T1', channel: 'C1' }, user: 'U1', text: 'PLANTED', tries: 0 },
};
const stop: SlackJob = { kind: 'stop', tenant: 'acme', team: 'T1', at: 1, after: '', tries: 0 };

/** The message that is sent to the queue. */
async function sent(job: SlackJob, sealers: Sealers, tenantOf = installedBy('acme')) {
  const inputs: Record<string, string>[] = [];
  const client = { send: async ({ input }: { input: Record<string, string> }) => void inputs.push(input) };
  const seal = jobSeal(sealers, tenantOf);
  await createSlackJobs(client as unknown as SQSClient, 'queue', seal).send(job);
  const [{ MessageBody = '', MessageGroupId } = {}] = inputs;
  return { body: MessageBody, group: MessageGroupId, seal };
}

test('a job with words is sealed on its queue, and opened by its consumer', async () => {
  const { body, group, seal } = await sent(whisper, living);
  expect(body).not.toContain('PLANTED');
  expect(JSON.parse(body)).toMatchObject({ tenant: 'acme' });
  expect(group).toBe('T1');
  expect(SlackJob.parse(JSON.parse(await seal.open(body)))).toEqual(whisper);
});

test('a job from before the option is read as it is', async () => {
  const { seal } = await sent(whisper, living);
  expect(await seal.open(JSON.stringify(whisper))).toBe(JSON.stringify(whisper));
});

test('jobs that stop runs have no words, and go on when the key was deleted', async () => {
  expect(JSON.parse((await sent(stop, deleted)).body)).toEqual(stop);
});

test('a workspace that has not installed the app belongs to no tenant', async () => {
  expect(JSON.parse((await sent(whisper, living, installedBy(undefined))).body)).toMatchObject({
    kind: 'whisper',
  });
});

test('when the key was deleted, no job is sent or opened', async () => {
  await expect(sent(whisper, deleted)).rejects.toThrow(TenantKeyDeleted);
  const { body } = await sent(whisper, living);
  await expect(jobSeal(deleted, installedBy('acme')).open(body)).rejects.toThrow(TenantKeyDeleted);
});
