import { clients } from '../../shared/aws/clients.ts';
import { createDynamo, type Dynamo } from '../../shared/aws/dynamo.ts';
import { once } from '../../shared/aws/once.ts';
import { openSealing, type Sealing } from '../../shared/aws/sealing.ts';
import { optionalEnv, readEnv } from '../middleware/environment.ts';

/** The data keys of tenants; undefined if the deployment has none. One cache per environment. */
export const sealing: () => Sealing | undefined = once(() => {
  if (!optionalEnv('KEY_TABLE_NAME')) return undefined;
  const { KEY_TABLE_NAME: table, TENANT_KEY_ARN: keyArn } = readEnv('KEY_TABLE_NAME', 'TENANT_KEY_ARN');
  const endpoint = process.env.AWS_ENDPOINT_URL_KMS ?? process.env.AWS_ENDPOINT_URL;
  return openSealing({ table, keyArn, endpoint }, clients);
});

/** The table, with contents sealed if tenants have keys. */
export function openTable(name: string): Dynamo {
  const dynamo = createDynamo(clients.dynamo(), name);
  return sealing()?.table(dynamo) ?? dynamo;
}
