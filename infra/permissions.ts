/**
 * What a function may do, one statement a sentence. Actions are listed by name: `grant*` of the CDK adds
 * Scan, DescribeTable and the like, which nothing here calls.
 */

import { ArnFormat, Stack } from 'aws-cdk-lib';
import type { WebSocketApi } from 'aws-cdk-lib/aws-apigatewayv2';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import { tableLayout } from '../shared/contract/env.ts';
import { socketStage } from '../shared/contract/routes.ts';
import type { Config } from './config.ts';

export type TableAction = 'GetItem' | 'BatchGetItem' | 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'Query';
export type BlobAction = 'GetObject' | 'PutObject';

/** Items of the table, by these operations. */
export const onTable = (table: ITable, ...actions: TableAction[]) =>
  new PolicyStatement({ actions: actions.map((name) => `dynamodb:${name}`), resources: [table.tableArn] });

/** Deleting what agents remember, and no other item: by the keys of its partitions (`shared/aws/layout.ts`). */
export const forgetMemories = (table: ITable) =>
  new PolicyStatement({
    actions: ['dynamodb:DeleteItem'],
    resources: [table.tableArn],
    conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['*#memory#*'] } },
  });

/** The sweeper's query. */
export const onDueIndex = (table: ITable) =>
  new PolicyStatement({
    actions: ['dynamodb:Query'],
    resources: [`${table.tableArn}/index/${tableLayout.due.index}`],
  });

/** The query of whoever lists sessions. */
export const onListedIndex = (table: ITable) =>
  new PolicyStatement({
    actions: ['dynamodb:Query'],
    resources: [`${table.tableArn}/index/${tableLayout.listed.index}`],
  });

/** A walk over all that lists have of sessions. */
export const scanListedIndex = (table: ITable) =>
  new PolicyStatement({
    actions: ['dynamodb:Scan'],
    resources: [`${table.tableArn}/index/${tableLayout.listed.index}`],
  });

/** Deleting objects of the bucket, and finding those of a session. */
export const deleteBlobs = (bucket: IBucket) => [
  new PolicyStatement({ actions: ['s3:DeleteObject'], resources: [bucket.arnForObjects('*')] }),
  new PolicyStatement({ actions: ['s3:ListBucket'], resources: [bucket.bucketArn] }),
];

/**
 * Objects of the bucket; there is no prefix to narrow to, since every function serves every tenant. Who may read them may list them too: S3
 * says 403 instead of 404 to anybody else who asks for one that is not there.
 */
export const onBlobs = (bucket: IBucket, ...actions: BlobAction[]) =>
  new PolicyStatement({
    actions: [...actions, ...(actions.includes('GetObject') ? ['ListBucket'] : [])].map(
      (name) => `s3:${name}`,
    ),
    resources: [bucket.bucketArn, bucket.arnForObjects('*')],
  });

export const sendTo = (...queues: IQueue[]) =>
  new PolicyStatement({ actions: ['sqs:SendMessage'], resources: queues.map(({ queueArn }) => queueArn) });

export const readSecret = (secret: ISecret) =>
  new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: [secret.secretArn] });

/** Bot tokens of Slack workspaces: secrets that are made as workspaces install the app, so by the start of their names. */
export const slackTokenPrefix = ({ name }: Config): string => `steploop/${name}/slack/`;
export type SecretAction = 'CreateSecret' | 'DeleteSecret' | 'GetSecretValue' | 'PutSecretValue';
export const onSlackTokens = (scope: IConstruct, config: Config, ...actions: SecretAction[]) =>
  new PolicyStatement({
    actions: actions.map((name) => `secretsmanager:${name}`),
    resources: [
      Stack.of(scope).formatArn({
        service: 'secretsmanager',
        resource: 'secret',
        resourceName: `${slackTokenPrefix(config)}*`,
        arnFormat: ArnFormat.COLON_RESOURCE_NAME,
      }),
    ],
  });

/** Pushing to clients, and nothing else of the API: the CDK's grant would allow to disconnect them too. */
export const pushTo = (api: WebSocketApi) =>
  new PolicyStatement({
    actions: ['execute-api:ManageConnections'],
    resources: [
      Stack.of(api).formatArn({
        service: 'execute-api',
        resource: api.apiId,
        resourceName: `${socketStage}/POST/@connections/*`,
      }),
    ],
  });
