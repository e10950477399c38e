/** Limits that Lambda checks when a function or a mapping is created, one sentence each. Pure. */

/** The settings of a function that have limits. */
export interface FunctionSizes {
  readonly timeoutSeconds: number;
  readonly memoryMb: number;
  /** The variables of the template. */
  readonly variables: Readonly<Record<string, string>>;
  readonly isManaged: boolean;
}

/** Bytes of all variables of a function, written as JSON (developer guide, "Lambda quotas"). */
const MOST_VARIABLE_BYTES = 4_096;

/** The same page, and "Lambda Managed Instances" for functions on a capacity provider. */
const SIZES = {
  lambda: { seconds: 900, leastMb: 128, mostMb: 10_240 },
  managed: { seconds: 5_400, leastMb: 2_048, mostMb: 32_768 },
};

/** Why Lambda refuses a function; undefined if it does not. */
export function functionWrong({
  timeoutSeconds,
  memoryMb,
  variables,
  isManaged,
}: FunctionSizes): string | undefined {
  const { seconds, leastMb, mostMb } = SIZES[isManaged ? 'managed' : 'lambda'];
  if (!isWithin(timeoutSeconds, 1, seconds)) return `Timeout must be from 1 to ${seconds} seconds`;
  if (!isWithin(memoryMb, leastMb, mostMb)) return `MemorySize must be from ${leastMb} to ${mostMb} MB`;
  const bytes = Buffer.byteLength(JSON.stringify(variables));
  return bytes > MOST_VARIABLE_BYTES
    ? `its environment variables have ${bytes} bytes, and Lambda takes ${MOST_VARIABLE_BYTES}`
    : undefined;
}

/** The settings of a queue's mapping that have limits. */
export interface MappingSizes {
  readonly batchSize: number;
  readonly windowSeconds: number;
  /** Undefined: not limited by the mapping. */
  readonly concurrency: number | undefined;
}

/** Messages of a batch without a batching window (API reference, CreateEventSourceMapping; so are the other numbers). */
const MOST_AT_ONCE = 10;

/** Why Lambda refuses a mapping of a standard queue; undefined if it does not. */
export function mappingWrong({ batchSize, windowSeconds, concurrency }: MappingSizes): string | undefined {
  if (!isWithin(batchSize, 1, 10_000)) return 'BatchSize must be from 1 to 10000';
  if (!isWithin(windowSeconds, 0, 300)) return 'MaximumBatchingWindowInSeconds must be from 0 to 300';
  if (batchSize > MOST_AT_ONCE && windowSeconds === 0)
    return `BatchSize above ${MOST_AT_ONCE} needs a MaximumBatchingWindowInSeconds of at least 1`;
  return concurrency !== undefined && !isWithin(concurrency, 2, 1_000)
    ? 'MaximumConcurrency must be from 2 to 1000'
    : undefined;
}

const isWithin = (value: number, least: number, most: number): boolean =>
  Number.isInteger(value) && value >= least && value <= most;
