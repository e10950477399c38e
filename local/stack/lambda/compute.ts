import { availableParallelism } from 'node:os';

/** How the invocations of a function share environments. */
export type Compute =
  /** Lambda's own: one invocation at a time in an environment, which is one thread. */
  | { readonly kind: 'lambda' }
  /** Lambda Managed Instances: many invocations beside each other in one environment. */
  | {
      readonly kind: 'managed';
      /** Worker threads of an environment; the handler's module is loaded in each. */
      readonly threads: number;
      /** Invocations at once in an environment: PerExecutionEnvironmentMaxConcurrency. What is over it is throttled. */
      readonly concurrency: number;
    };

/** What a template says of a function on a capacity provider; undefined = Lambda's default. */
export interface ManagedSettings {
  memoryMb: number;
  /** PerExecutionEnvironmentMaxConcurrency. */
  concurrency: number | undefined;
  /** ExecutionEnvironmentMemoryGiBPerVCpu. */
  memoryGiBPerVcpu: number | undefined;
  /** AWS_LAMBDA_NODEJS_WORKER_COUNT. */
  workers: number | undefined;
}

/** Lambda's default: https://docs.aws.amazon.com/lambda/latest/dg/lambda-managed-instances-nodejs-runtime.html */
const CONCURRENCY_PER_VCPU = 64;

/** Lambda's default, and the least that it takes. */
const MEMORY_GIB_PER_VCPU = 2;

/** One thread per vCPU that the template pays for, and not more than this machine has cores. */
export function managedCompute(
  { memoryMb, concurrency, memoryGiBPerVcpu = MEMORY_GIB_PER_VCPU, workers }: ManagedSettings,
  cores = availableParallelism(),
): Compute {
  const vcpus = Math.max(1, Math.floor(memoryMb / 1024 / memoryGiBPerVcpu));
  return {
    kind: 'managed',
    threads: Math.max(1, Math.min(workers ?? vcpus, cores)),
    concurrency: concurrency ?? CONCURRENCY_PER_VCPU * vcpus,
  };
}
