/**
 * The permissions of functions, one statement per sentence. Actions are listed by name, because the CDK's `grant*` adds Scan,
 * DescribeTable and others that no code here calls.
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
import { bedrockArns } from './bedrock.ts';
import type { Config } from './config.ts';

export type TableAction = 'GetItem' | 'BatchGetItem' | 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'Query';
export type BlobAction = 'GetObject' | 'PutObject';

/** Items of the table, by these operations. */
export const onTable = (table: ITable, ...actions: TableAction[]) =>
  new PolicyStatement({ actions: actions.map((name) => `dynamodb:${name}`), resources: [table.tableArn] });

/** Deletes memories of agents and schedules, and no other item: by the keys of their partitions (`shared/aws/layout.ts`). */
export const deleteListed = (table: ITable) =>
  new PolicyStatement({
    actions: ['dynamodb:DeleteItem'],
    resources: [table.tableArn],
    conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['*#memory#*', '*#schedules#*'] } },
  });

/** The sweeper's query. */
export const onDueIndex = (table: ITable) =>
  new PolicyStatement({
    actions: ['dynamodb:Query'],
    resources: [`${table.tableArn}/index/${tableLayout.due.index}`],
  });

/** The query that lists sessions. */
export const onListedIndex = (table: ITable) =>
  new PolicyStatement({
    actions: ['dynamodb:Query'],
    resources: [`${table.tableArn}/index/${tableLayout.listed.index}`],
  });

/** A scan over the listed data of all sessions. */
export const scanListedIndex = (table: ITable) =>
  new PolicyStatement({
    actions: ['dynamodb:Scan'],
    resources: [`${table.tableArn}/index/${tableLayout.listed.index}`],
  });

/** Deletes objects of the bucket, and finds those of a session. */
export const deleteBlobs = (bucket: IBucket) => [
  new PolicyStatement({ actions: ['s3:DeleteObject'], resources: [bucket.arnForObjects('*')] }),
  new PolicyStatement({ actions: ['s3:ListBucket'], resources: [bucket.bucketArn] }),
];

/**
 * Objects of the bucket, without a prefix, since every function serves every tenant. A function that may read may also list:
 * otherwise S3 answers 403 instead of 404 for a missing object.
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

/** Asking these models of Bedrock, and no others. */
export const askBedrock = (scope: IConstruct, models: readonly string[]) =>
  new PolicyStatement({
    actions: ['bedrock:InvokeModelWithResponseStream'],
    resources: [...new Set(models.flatMap((name) => bedrockArns(scope, name)))],
  });

/** Prefix of the bot tokens of Slack workspaces. The secrets are made as workspaces install the app, so only their prefix is known. */
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

/** Pushing to clients, and nothing else of the API: the CDK's grant would also allow disconnecting them. */
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

/** Sends mails of these addresses, in whatever identity SES has verified for them: an address or its domain. */
export const sendMails = (scope: IConstruct, addresses: readonly string[]): PolicyStatement =>
  new PolicyStatement({
    actions: ['ses:SendEmail'],
    resources: [Stack.of(scope).formatArn({ service: 'ses', resource: 'identity', resourceName: '*' })],
    conditions: { StringEquals: { 'ses:FromAddress': [...addresses] } },
  });
