/**
 * The tenant that the key of an item or of an object starts with; undefined for what belongs to no tenant, whose keys
 * start with `_` (`layout.ts`).
 */
export function tenantOf(key: string): string | undefined {
  const [tenant = ''] = key.split(/[#/]/, 1);
  return tenant === '' || tenant.startsWith('_') ? undefined : tenant;
}
