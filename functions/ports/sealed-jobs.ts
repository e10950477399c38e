import { once } from '../../shared/aws/once.ts';
import type { JobSeal } from '../../shared/aws/slack-jobs.ts';
import { sealing } from './sealing.ts';

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
  return {
    seal: async (...asked) => (await open()).seal(...asked),
    open: async (body) => (await open()).open(body),
  };
}
