import { httpClient, type TenantKeyInfo } from '../web/client/index.ts';
import { parse } from './arguments.ts';
import { isMeant } from './confirm.ts';
import { Failed, WrongUsage } from './ends.ts';
import { failureOf, placeOf, places } from './sessions/place.ts';

const usage = `steploop tenants delete-key TENANT [--yes] [--json]
                                    deletes the data key of a tenant, for good: everything that is stored of the tenant becomes
                                    unreadable, also in backups, and nothing more is accepted for it. Asks first, unless --yes is given
steploop tenants show-key TENANT [--json]
                                    whether the key lives

The deployment needs tenantKeys: true, and the credential must administer the tenant.

${places}

Exit codes: 0 done. 1 failed. 2 the command line is invalid.`;

/** `steploop tenants`: uses the public HTTP API. */
export async function tenants(args: readonly string[]): Promise<number> {
  const flag = { type: 'boolean' } as const;
  const parsed = parse(args, { usage, options: { json: flag, yes: flag }, words: 2 });
  if (!parsed) return 0;
  const [what, tenant] = parsed.positionals;
  if ((what !== 'delete-key' && what !== 'show-key') || !tenant)
    throw new WrongUsage(`Name a command and a tenant.\n\n${usage}`);
  const { json = false, yes = false } = parsed.values;
  const place = placeOf(process.env, process.cwd());
  if (what === 'delete-key' && !yes && !(await isMeant(tenant, questionAbout(tenant))))
    throw new Failed(`The key of ${tenant} was not deleted. Type the name when asked, or pass --yes.`);
  try {
    const client = httpClient(place);
    const info = await (what === 'show-key'
      ? client.tenantKey(tenant)
      : client.deleteTenantKey(tenant, tenant));
    console.log(json ? JSON.stringify(info, null, 2) : linesOf(info).join('\n'));
    return 0;
  } catch (error) {
    throw failureOf(error, place.httpUrl);
  }
}

const questionAbout = (tenant: string): string =>
  `This deletes the data key of ${tenant}. Its sessions, files, memories and schedules become unreadable, also in backups; runs end, and messages are refused. It cannot be undone. Type the name again: `;

/** The state of a key, for people. */
export function linesOf({
  tenant,
  state,
  createdAt,
  deletedAt,
  deletedBy,
  everywhereBy,
  remains = [],
}: TenantKeyInfo) {
  const states = {
    none: 'none: nothing of the tenant was written since tenantKeys was turned on',
    live: `live: created at ${createdAt}`,
    deleted: `deleted at ${deletedAt} by ${deletedBy}; no function uses it after ${everywhereBy}`,
  };
  return [`tenant  ${tenant}`, `key     ${states[state]}`, ...remains.map((one) => `remains ${one}`)];
}
