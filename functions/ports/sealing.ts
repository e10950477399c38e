import type { Blobs } from '../../shared/agent/ports/blobs.ts';
import { clients } from '../../shared/aws/clients.ts';
import { createDynamo, type Dynamo } from '../../shared/aws/dynamo.ts';
import { once } from '../../shared/aws/once.ts';
import { openSealing, type Sealing } from '../../shared/aws/sealing.ts';
import type { JobSeal } from '../../shared/aws/slack-jobs.ts';
import type { Links } from '../../shared/edge/links.ts';
import type { TenantKeys } from '../../shared/edge/tenant-keys.ts';
import { wallClock } from '../../shared/wall-clock.ts';
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

/** Links to objects. A sealed object has a copy in the clear for them (`opened-links.ts`). */
export function sealedLinks<Some extends Pick<Links, 'downloadFrom'>>(links: Some, blobs: Blobs): Some {
  if (!sealing()) return links;
  const open = once(async () =>
    (await import('../../shared/aws/opened-links.ts')).openedLinks(links, blobs, wallClock),
  );
  return { ...links, downloadFrom: async (...asked) => (await open()).downloadFrom(...asked) };
}

/** How Slack's jobs are sealed; undefined if tenants have no keys. */
export function jobSealOf(tenantOf: (team: string) => Promise<string | undefined>): JobSeal | undefined {
  const of = sealing();
  if (!of) return undefined;
  const open = once(async () => {
    const [{ jobSeal }, { keys }] = await Promise.all([
      import('../../shared/aws/sealed-slack-jobs.ts'),
      of.open(),
    ]);
    return jobSeal(keys, tenantOf);
  });
  return { seal: async (job) => (await open()).seal(job), open: async (body) => (await open()).open(body) };
}

/** Data keys of tenants, as routes use them; undefined if the deployment has none. */
export function tenantKeysOf(of = sealing()): TenantKeys | undefined {
  return (
    of && {
      requireLiving: async (tenant) => (await of.open()).keys.requireLiving(tenant),
      read: async (tenant) => (await of.open()).keys.read(tenant),
      remove: async (...asked) => (await of.open()).keys.remove(...asked),
    }
  );
}
