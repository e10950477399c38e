/** What the dashboard shows. */

import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Config } from '../config.ts';
import type { HttpApi } from '../http-api.ts';
import type { SocketApi } from '../socket-api.ts';

export interface DashboardParts {
  readonly config: Config;
  /** By name. */
  readonly functions: Readonly<Record<string, IFunction>>;
  /** The one of steps, which is among them. */
  readonly step: LambdaFunction;
  readonly table: ITable;
  readonly http: HttpApi;
  readonly socket: SocketApi;
}
