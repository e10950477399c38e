import type { Meter } from '../../shared/agent/ports/meter.ts';
import type { Secrets } from '../../shared/edge/secrets.ts';
import { log } from '../../shared/logger.ts';
import { wallClock } from '../../shared/wall-clock.ts';

/** The export that runs in this environment. */
let exporting: Promise<unknown> = Promise.resolve();

/** Resolves when pending exports are sent or given up, within about a second. */
export const exported = (): Promise<unknown> => exporting;

/**
 * A meter that also exports the metrics of steps, if the deploy configures an exporter. An export starts with the commit, in
 * parallel to what else is sent then, and the next step does not wait for it. The first committed step loads the exporter.
 */
export function exportedMeter(meter: Meter, secrets: Secrets): Meter {
  const to = process.env.TELEMETRY ?? '{}';
  if (to === '{}') return meter;
  return {
    ...meter,
    step(report, trace) {
      meter.step(report);
      const sent = import('../../shared/telemetry/open.ts').then(({ exportStep }) =>
        exportStep(to, { secrets, clock: wallClock, log }, report, trace),
      );
      exporting = Promise.all([exporting, sent]);
    },
  };
}
