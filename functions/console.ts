import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { contentPolicy, findConfig } from './console/config.ts';
import { pageOf } from './console/page.ts';
import { optionalEnv, readEnv } from './middleware/environment.ts';
import { json } from './middleware/request.ts';

const folder = fileURLToPath(new URL('./page/', import.meta.url));
const config = findConfig({
  socketUrl: readEnv('SOCKET_URL').SOCKET_URL,
  issuer: optionalEnv('OIDC_ISSUER'),
  audiences: optionalEnv('OIDC_AUDIENCE'),
  clientId: optionalEnv('CONSOLE_CLIENT_ID'),
  origins: optionalEnv('CONSOLE_ORIGINS'),
});
const page = pageOf({
  // Paths of a request are looked up in this set and never joined to the folder, so only these files can be served.
  files: new Set(readdirSync(folder, { recursive: true }).map((name) => String(name).replaceAll('\\', '/'))),
  read: (name) => readFileSync(`${folder}/${name}`),
  policy: contentPolicy(config),
});

/**
 * The console (docs/console.md): its files, and the addresses that the page talks to. It requires no credential, and shows
 * nothing of a tenant.
 */
export const handler = async (event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> => {
  const path = event.pathParameters?.path ?? '';
  if (path === 'config.json') return json(200, config.told, { 'cache-control': 'no-store' });
  return page(path, event.headers['accept-encoding'] ?? '');
};
