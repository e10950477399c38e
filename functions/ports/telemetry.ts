import type { Meter } from '../../shared/agent/ports.ts';
import { clock } from '../../shared/aws/ports.ts';
import type { Secrets } from '../../shared/edge/secrets.ts';
import { log } from '../../shared/logger.ts';

/** What is being exported in this environment. */
let exporting: Promise<unknown> = Promise.resolve();

/** Resolves when what invocations have begun to export is exported, or given up: within about a second. */
export const exported = (): Promise<unknown> => exporting;

/**
 * The meter, which also exports what steps come to, where the deploy says where to. It begins with the commit, beside what else is sent
 * then, and no next step waits for it. What exports is read with the first step that is committed.
 */
export function exportedMeter(meter: Meter, secrets: Secrets): Meter {
  const to = process.env.TELEMETRY ?? '{}';
  if (to === '{}') return meter;
  return {
    ...meter,
    step(report, trace) {
      meter.step(report);
      const sent = import('../../shared/telemetry/open.ts').then(({ exportStep }) =>
        exportStep(to, { secrets, clock, log }, report, trace),
      );
      exporting = Promise.all([exporting, sent]);
    },
  };
}
