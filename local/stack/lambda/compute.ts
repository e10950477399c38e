import { availableParallelism } from 'node:os';

/** How the invocations of a function share environments. */
export type Compute =
  /** Lambda's own: an environment is one thread and runs one invocation at a time. */
  | { readonly kind: 'lambda' }
  /** Lambda Managed Instances: one environment runs many invocations concurrently. */
  | {
      readonly kind: 'managed';
      /** Worker threads of an environment; the handler's module is loaded in each. */
      readonly threads: number;
      /** Concurrent invocations in an environment: PerExecutionEnvironmentMaxConcurrency. More are throttled. */
      readonly concurrency: number;
    };

/** The template's settings of a function on a capacity provider; undefined = Lambda's default. */
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

/** Lambda's default, and its minimum. */
const MEMORY_GIB_PER_VCPU = 2;

/** One thread per vCPU in the template, and not more than this machine has cores. */
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
