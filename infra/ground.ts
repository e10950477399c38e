import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { Code } from 'aws-cdk-lib/aws-lambda';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { FunctionName } from './bundle.ts';
import type { Computed } from './compute.ts';
import type { Config } from './config.ts';
import type { FunctionCompute } from './managed.ts';
import type { Secrets } from './secrets.ts';
import type { StepQueue } from './step-queue.ts';

/** The resources that every capability needs. */
export interface Ground {
  readonly config: Config;
  /** The bundle of a function. */
  readonly code: (name: FunctionName) => Code;
  readonly table: ITable;
  readonly blobs: IBucket;
  readonly secrets: Secrets;
  readonly steps: StepQueue;
  /** The compute of a function whose invocations wait. */
  readonly runsOn: (name: Computed) => FunctionCompute;
}
