import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { managedCompute } from '../../local/stack/lambda/compute.ts';
import type { InvocationEvent } from '../../local/stack/lambda/function.ts';
import { type RunningStack, startStack } from '../../local/stack/stack.ts';
import { eventually, lambda, writeAssembly } from './local-stack.fixture.ts';

/** How Lambda Managed Instances treat invocations that share an environment, on this machine. */

const code = `
import { threadId } from 'node:worker_threads';
let inside = 0;
const held = new Map();
const store = globalThis.awslambda.InvokeStore;
export const look = async () => ({ environment: process.env, thread: threadId });
export const meet = async ({ name, others }, context) => {
  inside += 1;
  store.set('name', name);
  while (inside < others) await sleep(5);
  await sleep(5);
  return { name: store.get('name'), id: store.getRequestId(), own: context.awsRequestId, thread: threadId };
};
export const hold = async ({ name }) => {
  say({ held: name });
  await new Promise((resolve) => held.set(name, resolve));
  say({ ended: name });
  return name;
};
export const release = async ({ name }) => held.get(name)?.();
export const held1 = async (event) => event.release ? release({ name: event.release }) : hold(event);
export const crash = async ({ after }) => {
  if (after === undefined) return sleep(60_000);
  setTimeout(() => { throw new Error('nothing catches this'); }, after);
  return sleep(60_000);
};
`;

const provider = { 'Fn::GetAtt': ['Provider', 'Arn'] };
const managed = (name: string, concurrency: number, more: object = {}, workers = 1) =>
  lambda(
    name,
    {
      MemorySize: 4096,
      CapacityProviderConfig: {
        LambdaManagedInstancesCapacityProviderConfig: {
          CapacityProviderArn: provider,
          PerExecutionEnvironmentMaxConcurrency: concurrency,
        },
      },
      ...more,
    },
    { AWS_LAMBDA_NODEJS_WORKER_COUNT: String(workers) },
  );

const resources = {
  Operator: {
    Type: 'AWS::IAM::Role',
    Properties: {
      ManagedPolicyArns: ['arn:aws:iam::aws:policy/AWSLambdaManagedEC2ResourceOperator'],
    },
  },
  Provider: { Type: 'AWS::Lambda::CapacityProvider', Properties: {} },
  Look: managed('look', 16),
  Meet: managed('meet', 16, {}, 2),
  Full: managed('held1', 3, { Timeout: 30 }),
  Late: managed('held1', 2, { Timeout: 1 }),
  Crash: managed('crash', 16, {}, 2),
  Alone: lambda('look'),
  Version: { Type: 'AWS::Lambda::Version', Properties: { FunctionName: { Ref: 'Look' } } },
};

const root = mkdtempSync(join(tmpdir(), 'local-stack-managed-'));
const invocations: InvocationEvent[] = [];
const said: string[] = [];
let stack: RunningStack;

beforeAll(async () => {
  const assembly = writeAssembly(root, resources, code);
  stack = await startStack({
    assembly,
    log: (line) => said.push(line),
    onInvocation: (event) => invocations.push(event),
  });
});
afterAll(async () => {
  await stack.stop();
  rmSync(root, { recursive: true, force: true });
});

const invoke = <T>(id: string, event: object = {}) => stack.invoke(id, event) as Promise<T>;
const saidThat = (id: string, fact: object) => () =>
  said.includes(`[${id}] ${JSON.stringify(fact)}`) || undefined;

test('a function is told that it shares its environment, and with how many', async () => {
  const { environment } = await invoke<{ environment: Record<string, string> }>('Look');
  expect(environment).toMatchObject({
    AWS_LAMBDA_INITIALIZATION_TYPE: 'lambda-managed-instances',
    AWS_LAMBDA_MAX_CONCURRENCY: '16',
  });
  const { environment: own } = await invoke<{ environment: Record<string, string> }>('Alone');
  expect(own.AWS_LAMBDA_INITIALIZATION_TYPE).toBe('on-demand');
  expect(own).not.toHaveProperty('AWS_LAMBDA_MAX_CONCURRENCY');
});

test('invocations run concurrently in the threads of one environment, each with its own store', async () => {
  const names = Array.from({ length: 8 }, (_, i) => `n${i}`);
  type Met = { name: string; id: string; own: string; thread: number };
  // Four must be in a thread before one of them continues.
  const met = await Promise.all(names.map((name) => invoke<Met>('Meet', { name, others: 4 })));
  expect(met.map(({ name }) => name)).toEqual(names);
  for (const { id, own } of met) expect(id).toBe(own);
  expect(new Set(met.map(({ own }) => own)).size).toBe(8);
  expect(new Set(met.map(({ thread }) => thread)).size).toBe(2);
  const environments = invocations.filter(({ functionId }) => functionId === 'Meet');
  expect(new Set(environments.map(({ environmentId }) => environmentId)).size).toBe(1);
});

test('one invocation more than its environment takes is throttled', async () => {
  const three = ['a', 'b', 'c'].map((name) => invoke('Full', { name }));
  for (const held of ['a', 'b', 'c']) await eventually(saidThat('Full', { held }));
  await expect(invoke('Full', { name: 'd' })).rejects.toMatchObject({ name: 'TooManyRequestsException' });
  expect(stack.kill('Full')).toBe(1);
  for (const one of three) await expect(one).rejects.toMatchObject({ name: 'Runtime.ExitError' });
  // Another environment takes its place.
  const next = invoke('Full', { name: 'e' });
  await eventually(saidThat('Full', { held: 'e' }));
  await invoke('Full', { release: 'e' });
  expect(await next).toBe('e');
});

test('an invocation that times out has failed, and its code continues next to the others', async () => {
  await expect(invoke('Late', { name: 'x' })).rejects.toMatchObject({ name: 'Sandbox.Timedout' });
  const next = invoke('Late', { name: 'y' });
  await eventually(saidThat('Late', { held: 'y' }));
  // It takes the remaining place, since the first invocation is still there.
  await expect(invoke('Late', { release: 'x' })).rejects.toMatchObject({ name: 'TooManyRequestsException' });
  await expect(next).rejects.toMatchObject({ name: 'Sandbox.Timedout' });
  const ids = invocations.filter(({ functionId }) => functionId === 'Late');
  expect(new Set(ids.map(({ environmentId }) => environmentId)).size).toBe(1);
});

test('a thread that crashes takes its own invocations with it, and no others', async () => {
  const waiting = invoke('Crash').catch((error: Error) => error.message);
  const crashed = invoke('Crash', { after: 50 });
  await expect(crashed).rejects.toThrow('nothing catches this');
  const survivor = await Promise.race([waiting, new Promise((resolve) => setTimeout(resolve, 300, 'runs'))]);
  expect(survivor).toBe('runs');
  expect(stack.kill('Crash')).toBe(1);
  expect(await waiting).toContain('Runtime exited');
});

test('there are as many threads as the vCPUs for the memory, at most the cores of this machine', () => {
  const given = { concurrency: undefined, memoryGiBPerVcpu: undefined, workers: undefined };
  const of = (more: object, cores: number) => managedCompute({ memoryMb: 8192, ...given, ...more }, cores);
  expect(of({}, 8)).toEqual({ kind: 'managed', threads: 4, concurrency: 256 });
  expect(of({ memoryGiBPerVcpu: 4 }, 8)).toEqual({ kind: 'managed', threads: 2, concurrency: 128 });
  expect(of({}, 2)).toEqual({ kind: 'managed', threads: 2, concurrency: 256 });
  expect(of({ workers: 1, concurrency: 10 }, 8)).toEqual({ kind: 'managed', threads: 1, concurrency: 10 });
});
