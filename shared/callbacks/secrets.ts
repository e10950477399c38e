import { createHmac } from 'node:crypto';

/**
 * The secrets that callbacks of a tenant are signed with: each master secret of the deployment makes one. So a tenant,
 * who must know its secrets to verify what it gets, can forge nothing for another one.
 *
 * @param masters one or more secrets with space between them, the newest first. More than one while they are rotated:
 *   messages then carry a signature by each.
 * @returns as Standard Webhooks writes them: `whsec_` and 32 bytes in base64
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
