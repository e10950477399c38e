/** Props: the compute type and the memory of the functions whose invocations wait. Their cost is mostly the wait. */

import * as z from 'zod';
import type { DeploymentFacts } from '../shared/contract/facts.ts';
import type { Compute, ManagedProps, MemoryProps } from './props.ts';

/** Functions whose invocations wait, so that their compute type matters. */
export type Computed = 'step' | 'tool' | 'agui';

/** One value for each of them. */
type Each<Value> = Readonly<Record<Computed, Value>>;

export interface ComputeConfig {
  readonly compute: Each<Compute>;
  /** MB. */
  readonly memory: Each<number>;
  readonly managed: Required<ManagedProps>;
}

const kind = z.enum(['lambda', 'managed']);
const wholeNumber = (least: number, most: number) =>
  z
    .number()
    .refine(
      (value) => Number.isInteger(value) && value >= least && value <= most,
      `must be a whole number from ${least} to ${most}`,
    );
// Lambda's own environments have 10 GB at most, managed ones 32.
const megabytes = wholeNumber(256, 32_768).optional();

/** The props with their defaults, except for the memory. Tokens are not allowed, since the size of an environment is computed from them. */
export const computeProps = {
  compute: z
    .union(
      [
        kind.transform((all) => ({ step: all, tool: all, agui: all })),
        z.strictObject({
          step: kind.default('lambda'),
          tool: kind.default('lambda'),
          agui: kind.default('lambda'),
        }),
      ],
      "must be 'lambda' or 'managed', or an object with one of them for step, tool and agui",
    )
    .prefault('lambda'),
  memory: z.strictObject({ step: megabytes, tool: megabytes, agui: megabytes }).default({}),
  managed: z
    .strictObject({
      maxVcpus: wholeNumber(12, 15_000).default(30),
      // An environment has 16 vCPUs at most, and takes 1,600 invocations.
      perVcpu: wholeNumber(1, 100).default(64),
      memoryPerVcpu: z.union([z.literal(2), z.literal(4), z.literal(8)], 'must be 2, 4 or 8').default(2),
      environments: wholeNumber(1, 1000).default(3),
    })
    .prefault({}),
};

/**
 * Default memory of each in MB. A step was measured to hold 80 MB with 40 KB of context and 175 with 800 KB, which is a window of
 * 200,000 tokens (heap and buffers of its thread, 20 and 60 steps of 500 tokens); Node itself has 45.
 */
export function memoryOf(
  given: MemoryProps,
  compute: Each<Compute>,
  managed: ComputeConfig['managed'],
  { heavySteps }: DeploymentFacts,
): Each<number> {
  // A thread of a shell or a compiler has its own memory in addition to the step's.
  const lambda: Each<number> = { step: heavySteps ? 1024 : 512, tool: 1024, agui: 512 };
  const of = (name: Computed) =>
    given[name] ?? (compute[name] === 'managed' ? managed.memoryPerVcpu * 1024 : lambda[name]);
  return { step: of('step'), tool: of('tool'), agui: of('agui') };
}

/** vCPUs of an environment with this memory. */
export const vcpusOf = (megabytes: number, { memoryPerVcpu }: ComputeConfig['managed']): number =>
  megabytes / 1024 / memoryPerVcpu;

/** Values that Lambda would refuse, one sentence each. */
export function computeWrong(
  { compute, memory, managed }: ComputeConfig,
  hasVpc: boolean,
  reservedAgui: number | undefined,
): string[] {
  const names = Object.keys(compute) as Computed[];
  const there = names.filter((name) => compute[name] === 'managed');
  const lambda = names.filter((name) => compute[name] === 'lambda' && memory[name] > 10_240);
  const vcpus = there.reduce((sum, name) => sum + managed.environments * vcpusOf(memory[name], managed), 0);
  const uneven = there.filter((name) => {
    const vcpus = vcpusOf(memory[name], managed);
    return !Number.isInteger(vcpus) || vcpus > 16;
  });
  return [
    ...(there.length > 0 && !hasVpc
      ? [
          `compute: ${there.join(', ')} would run on instances in your VPC, so name it: vpc: { vpc: Vpc.fromLookup(this, 'Vpc', { vpcId: 'vpc-…' }) }`,
        ]
      : []),
    ...lambda.map((name) => `memory.${name}: must be at most 10240, unless the function is managed`),
    ...uneven.map(
      (name) =>
        `memory.${name}: must be a multiple of ${managed.memoryPerVcpu * 1024}, for 1 to 16 vCPUs (managed.memoryPerVcpu)`,
    ),
    ...(uneven.length === 0 && vcpus > managed.maxVcpus
      ? [
          `managed.maxVcpus: must be at least ${vcpus}, for ${managed.environments} environments of each of ${there.join(', ')}; a deploy that replaces them needs twice as many`,
        ]
      : []),
    ...(compute.agui === 'managed' && reservedAgui !== undefined
      ? [
          'concurrency.agui: a managed function cannot have reserved concurrency; limit it with managed.maxVcpus',
        ]
      : []),
  ];
}

/** A shell needs this many MB for each invocation of a step when all places of its environment are taken. */
const SHELL = 256;

/**
 * A warning at synthesis that a step's shells and compilers may use up the memory of the environment that it shares, with a code
 * to acknowledge it by.
 */
export function crowded(
  { compute, managed }: ComputeConfig,
  { heavySteps }: DeploymentFacts,
): { code: string; sentence: string } | undefined {
  const { memoryPerVcpu, perVcpu } = managed;
  if (compute.step === 'lambda' || !heavySteps || (memoryPerVcpu * 1024) / perVcpu >= SHELL) return undefined;
  return {
    code: 'steploop:crowded',
    sentence: `Shells or compilers run in steps, and ${perVcpu} steps share ${memoryPerVcpu} GB. Run those tools from the queue, lower managed.perVcpu, or raise managed.memoryPerVcpu.`,
  };
}
