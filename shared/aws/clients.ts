/**
 * The SDK clients. Each is built once per environment, when it is first used. The SDK itself decides the endpoint and
 * the principal (region, credentials and `AWS_ENDPOINT_URL_*` of the environment).
 *
 * Their timeouts are short, because a hung connection is paid for. `requestTimeout` of the SDK only warns, so
 * `connectionTimeout` and `socketTimeout` are what ends a connection. Connections are kept alive by default.
 */

import type { ApiGatewayManagementApiClient } from '@aws-sdk/client-apigatewaymanagementapi';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import { direct } from './direct.ts';
import { once, onceEach } from './once.ts';
import { createS3, type S3 } from './s3.ts';
import { Sha256 } from './sha256.ts';

export interface Clients {
  dynamo(): DynamoDBClient;
  sqs(): SQSClient;
  /** For a WebSocket API by its `wss://` URL. Loaded when a client is subscribed. */
  sockets(url: string): Promise<ApiGatewayManagementApiClient>;
  /** At `endpoint`, or at AWS's own. It uses the same principal and region as DynamoDB. */
  s3(endpoint?: string): S3;
  secretsManager(): Promise<SecretsManagerClient>;
}

/** The clients of this environment. */
export const clients: Clients = {
  dynamo: once(() => direct(new DynamoDBClient(patience(3000)))),
  sqs: once(() => direct(new SQSClient(patience(5000)))),
  sockets: onceEach(async (url) => {
    const { ApiGatewayManagementApiClient } = await import('./sockets-client.ts');
    return new ApiGatewayManagementApiClient({ ...patience(3000), ...connectionsAt(url) });
  }),
  s3: (endpoint) => createS3({ identity: clients.dynamo().config, endpoint }),
  secretsManager: once(
    async () => new (await import('./secrets-manager.ts')).SecretsManagerClient(patience(5000)),
  ),
};

/**
 * A socket that is silent for `socketTimeout` ms is given up, and the request is tried again. The SDK's default of 50
 * connections to a service is too few where an environment runs many invocations at once: further requests would wait
 * for a connection without any sign of it.
 */
function patience(socketTimeout: number) {
  const agent = { maxSockets: 1000 };
  return {
    maxAttempts: 3,
    sha256: Sha256,
    requestHandler: { connectionTimeout: 1000, socketTimeout, httpAgent: agent, httpsAgent: agent },
  };
}

/** The `@connections` API is at the same URL over HTTP. Each request is tried once: see `sockets.ts`. */
export const connectionsAt = (url: string) => ({ endpoint: url.replace(/^ws/, 'http'), maxAttempts: 1 });
