/** The resources that the dashboard shows. */

import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Config } from '../config.ts';
import type { HttpApi } from '../http-api.ts';
import type { SocketApi } from '../socket-api.ts';

export interface DashboardParts {
  readonly config: Config;
  /** By name. */
  readonly functions: Readonly<Record<string, IFunction>>;
  /** The function of steps, also part of `functions`. */
  readonly step: LambdaFunction;
  readonly table: ITable;
  readonly http: HttpApi;
  readonly socket: SocketApi;
}
