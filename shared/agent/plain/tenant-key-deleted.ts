/**
 * The tenant's data key was deleted, so nothing that is stored of the tenant can be read, and nothing more is accepted
 * for it (docs/deploy.md). An ending, not a failure: a retry never helps.
 */
export class TenantKeyDeleted extends Error {
  override name = 'TenantKeyDeleted';
  readonly tenant: string;

  constructor(tenant: string) {
    super(
      `The key of the tenant ${tenant} was deleted, so its data cannot be read and it accepts nothing more. A deleted key cannot be restored.`,
    );
    this.tenant = tenant;
  }
}
