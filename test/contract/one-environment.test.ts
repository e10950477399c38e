import { AsyncLocalStorage } from 'node:async_hooks';
import { DeleteMessageCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import type { Context } from 'aws-lambda';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { settleBatch } from '../../functions/middleware/settle-batch.ts';
import { type ReceivedMessage, toSqsEvent } from '../../local/stack/events/sqs-event.ts';
import { defineAgent } from '../../shared/agent/define/agent.ts';
import { defineTool } from '../../shared/agent/define/tool.ts';
import { accept, openSession } from '../../shared/agent/entrypoints/accept.ts';
import { catchUp } from '../../shared/agent/events/catch-up.ts';
import type { Ports } from '../../shared/agent/ports/ports.ts';
import type { Provider } from '../../shared/agent/ports/provider.ts';
import type { ModelOutcome } from '../../shared/agent/session/reply.ts';
import { runStep } from '../../shared/agent/step/run-step.ts';
import { awsPorts } from '../../shared/aws/ports.ts';
import { Wake } from '../../shared/contract/queue.ts';
import type { SessionKey } from '../../shared/contract/session.ts';
import { calls, fails, says } from '../../testing/scripted-model.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../support/embedded-aws.ts';

/**
 * The step function of one environment with many concurrent invocations, as on Lambda Managed Instances: one set of
 * ports, one module state, one log. Each session belongs to a different tenant and has its own mark, which must never
 * appear in anything of another.
 */

const SESSIONS = 70;
/** The steps that each tenant may use in a day. */
const STEPS_A_DAY = 4;

/** The kinds of sessions. */
const kinds = ['talks', 'calls', 'overloaded', 'breaks', 'refused', 'endless', 'unheard'] as const;
type Kind = (typeof kinds)[number];

interface Subject {
  readonly key: SessionKey;
  readonly kind: Kind;
  readonly mark: string;
}

const subjects = Array.from({ length: SESSIONS }, (_, i): Subject => {
  const id = String(i).padStart(3, '0');
  const kind = kinds[i % kinds.length] ?? 'talks';
  return { key: { tenant: `tenant${id}`, sessionId: `session${id}` }, kind, mark: `mark${id}x` };
});
const byMark = new Map(subjects.map((subject) => [subject.mark, subject]));

/** All marks in a value, once each. */
const marksIn = (value: unknown): string[] => [...new Set(JSON.stringify(value)?.match(/mark\d{3}x/g) ?? [])];

const agent = defineAgent({
  name: 'test',
  version: '1',
  model: { name: 'test-model' },
  system: 'Test.',
  tools: [
    defineTool({
      name: 'note',
      description: 'Notes something.',
      input: z.object({ mark: z.string(), n: z.number() }),
      effect: 'idempotent',
      approval: 'never',
      async run({ mark, n }, { tenant, sessionId, idempotencyKey }) {
        await turns(n);
        if (byMark.get(mark)?.kind === 'breaks') throw new Error(`the pipe burst on ${mark}`);
        return { mark, n, tenant, sessionId, idempotencyKey };
      },
    }),
  ],
});

/** Lets other tasks run first. */
async function turns(n: number): Promise<void> {
  for (let i = 0; i <= n % 5; i++) await new Promise((resolve) => setImmediate(resolve));
}

/** A model that recognizes a session by its mark, and answers no first request before all have been made. */
function markedModel() {
  const asked = new Map<string, number>();
  const inside = new Map<string, number>();
  const wrong: string[] = [];
  const everybody = Promise.withResolvers<void>();
  const provider: Provider = {
    async complete(request, onDelta) {
      const marks = marksIn(request);
      const mark = marks[0] ?? 'none';
      if (marks.length !== 1) wrong.push(`a request has the marks ${marks}`);
      const n = (asked.get(mark) ?? 0) + 1;
      asked.set(mark, n);
      const beside = (inside.get(mark) ?? 0) + 1;
      inside.set(mark, beside);
      if (beside > 1) wrong.push(`${mark} is asked ${beside} times at once`);
      if (asked.size === SESSIONS) everybody.resolve();
      await everybody.promise;
      for (const piece of ['I am ', mark, ' and ', `${n}.`]) {
        onDelta({ kind: 'text', text: piece });
        await turns(n + mark.length);
      }
      inside.set(mark, beside - 1);
      return answer(byMark.get(mark)?.kind ?? 'talks', mark, n);
    },
  };
  return { provider, asked, wrong };
}

function answer(kind: Kind, mark: string, n: number): ModelOutcome {
  const end = says(`I am ${mark} and ${n}.`);
  switch (kind) {
    case 'talks':
    case 'unheard':
      return end;
    case 'calls':
    case 'breaks':
      return n === 1 ? calls(['note', { mark, n }], ['note', { mark, n: n + 1 }]) : end;
    case 'overloaded':
      return n === 1 ? fails({ message: `overloaded by ${mark}` }) : end;
    case 'refused':
      return { kind: 'failed', failure: { kind: 'fatal', code: 'invalid', message: `no ${mark}` } };
    case 'endless':
      return calls(['note', { mark, n }]);
  }
}

let aws: EmbeddedAws;
beforeAll(async () => {
  aws = await startEmbeddedAws();
});
afterAll(() => aws.stop());

test('nothing leaks between concurrent invocations of many tenants in one environment', {
  timeout: 180_000,
}, async () => {
  const queueUrl = await aws.createQueue('steps', { VisibilityTimeout: '120' });
  const model = markedModel();
  const posted: { connectionId: string; data: string }[] = [];
  const sockets: Ports['sockets'] = {
    async post(connectionId, data) {
      posted.push({ connectionId, data });
      await turns(data.length);
      return bySession(connectionId)?.kind === 'unheard' ? 'gone' : 'sent';
    },
  };
  const io: Ports = {
    ...awsPorts({
      tableName: await aws.createTable(),
      stepQueueUrls: [queueUrl],
      consumedQueueUrl: queueUrl,
      bucket: aws.bucket,
      tenantLimits: { tokens: 0, microUsd: 0, steps: STEPS_A_DAY },
      clients: aws.clients,
    }),
    provider: model.provider,
    sockets,
  };

  for (const { key, mark } of subjects) {
    await openSession(key, agent, async () => undefined, io);
    await io.sessions.subscribe(key, `of-${key.sessionId}`);
    await accept(key, { eventId: 'e1', text: `I am ${mark}.` }, io);
  }
  const environment = oneEnvironment(queueUrl, io);
  const ended = () => Promise.all(subjects.map(({ key }) => isOver(key, io)));
  do await environment.untilIdle();
  while ((await ended()).includes(false));
  environment.close();

  expect(model.wrong).toEqual([]);
  expect(environment.most).toBeGreaterThanOrEqual(SESSIONS);
  for (const { key, kind, mark } of subjects) {
    const slots = (await io.sessions.slots(key, 0)).map(({ slot }) => slot);
    const frames = (await catchUp(key, 0, 1_000, io)) ?? [];
    const pushed = posted.filter(({ connectionId }) => connectionId === `of-${key.sessionId}`);
    // Transcript, stream and pushes belong to this session alone.
    expect(marksIn(slots), key.sessionId).toEqual([mark]);
    expect(marksIn(frames), key.sessionId).toEqual([mark]);
    // A connection that is gone is told once, perhaps before anything was said.
    if (kind === 'unheard') expect([mark], key.sessionId).toEqual(expect.arrayContaining(marksIn(pushed)));
    else expect(marksIn(pushed), key.sessionId).toEqual([mark]);
    for (const text of [JSON.stringify(slots), JSON.stringify(frames)]) {
      const tenants = new Set(text.match(/tenant\d{3}/g) ?? []);
      expect(
        [...tenants].filter((tenant) => tenant !== key.tenant),
        key.sessionId,
      ).toEqual([]);
    }
    expect(slots.map(({ n }) => n)).toEqual(slots.map((_, i) => i));
    // Each tenant has its own limit: a session that needs two steps gets them, even if others have used up theirs.
    const asked = model.asked.get(mark) ?? 0;
    if (kind === 'endless') expect(asked, key.sessionId).toBe(STEPS_A_DAY);
    if (kind === 'calls' || kind === 'breaks' || kind === 'overloaded') expect(asked).toBeGreaterThan(1);
    const said = JSON.stringify(slots);
    if (kind === 'calls') expect(said).toContain(key.tenant);
    expect(said.includes('the pipe burst'), key.sessionId).toBe(kind === 'breaks');
  }
  // A log line names the session that its invocation is for.
  const lines = environment.lines.filter(({ sessionId }) => sessionId !== undefined);
  expect(lines.length).toBeGreaterThanOrEqual(SESSIONS);
  for (const line of lines) {
    const own = environment.invocations.get(String(line.requestId));
    expect(line).toMatchObject({ sessionId: own?.sessionId, tenant: own?.tenant });
  }
});

const bySession = (connectionId: string) =>
  subjects.find(({ key }) => connectionId === `of-${key.sessionId}`);

async function isOver(key: SessionKey, io: Ports): Promise<boolean> {
  const frames = (await catchUp(key, 0, 1_000, io)) ?? [];
  return frames.some(({ event }) => event.type === 'RUN_FINISHED' || event.type === 'RUN_ERROR');
}

/**
 * Takes messages from the queue as the platform does, and runs as many concurrent invocations as there are messages.
 */
function oneEnvironment(queueUrl: string, io: Ports) {
  const store = new AsyncLocalStorage<string>();
  vi.stubGlobal('awslambda', { InvokeStore: { getRequestId: () => store.getStore() } });
  const lines: Record<string, unknown>[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((line) => {
    lines.push(JSON.parse(String(line)));
    return true;
  });
  const invocations = new Map<string, SessionKey>();
  const running = new Set<Promise<void>>();
  const sqs = aws.clients.sqs();
  const options = { agentOf: () => agent, leaseMs: 60_000 };
  const state = { most: 0 };

  const invoke = async (message: ReceivedMessage): Promise<void> => {
    const awsRequestId = `request${invocations.size}`;
    invocations.set(awsRequestId, Wake.parse(JSON.parse(message.Body)));
    const context = { awsRequestId, getRemainingTimeInMillis: () => 300_000 } as Context;
    const event = toSqsEvent([message], 'arn:aws:sqs:us-east-1:000000000000:steps') as Parameters<
      typeof settleBatch
    >[0];
    const { batchItemFailures } = await store.run(awsRequestId, () =>
      settleBatch(event, context, Wake, (wake, invocation) => runStep(wake, invocation, options, io)),
    );
    if (batchItemFailures.length > 0) return;
    const { ReceiptHandle } = message;
    await sqs.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle }));
  };

  return {
    lines,
    invocations,
    get most() {
      return state.most;
    },
    /** Resolves when nothing runs and no message has come for a second. */
    async untilIdle() {
      for (let empty = 0; empty < 2 || running.size > 0; ) {
        const { Messages = [] } = await sqs.send(
          new ReceiveMessageCommand({
            QueueUrl: queueUrl,
            MaxNumberOfMessages: 10,
            WaitTimeSeconds: 1,
            MessageSystemAttributeNames: ['All'],
            MessageAttributeNames: ['All'],
          }),
        );
        empty = Messages.length === 0 ? empty + 1 : 0;
        for (const message of Messages as ReceivedMessage[]) {
          const one = invoke(message).finally(() => running.delete(one));
          running.add(one);
          state.most = Math.max(state.most, running.size);
        }
      }
    },
    close() {
      write.mockRestore();
      vi.unstubAllGlobals();
    },
  };
}
