import { createHmac } from 'node:crypto';

/**
 * The secrets that sign a tenant's callbacks: each master secret of the deployment makes one. A tenant must know its
 * secrets to verify its callbacks, and still cannot forge any for another tenant.
 *
 * @param masters one or more secrets with space between them, the newest first. More than one during a rotation:
 * messages then carry a signature by each.
 * @returns in the format of Standard Webhooks: `whsec_` and 32 bytes in base64
 */
export function callbackSecrets(masters: string, tenant: string): string[] {
  return masters
    .trim()
    .split(/\s+/)
    .map(
      (master) =>
        `whsec_${createHmac('sha256', master).update(`steploop callback ${tenant}`).digest('base64')}`,
    );
}
