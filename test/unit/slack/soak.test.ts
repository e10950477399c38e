import { expect, test } from 'vitest';
import { runSoak } from '../../soak/slack/run.ts';

test('threads of Slack show each answer once, whatever goes wrong: the short form of `npm run soak:slack`', async () => {
  const { wrong, ...figures } = await runSoak({ seed: 7, threads: 30, channels: 10 });
  expect(wrong).toEqual([]);
  // It is a soak only if faults occurred in it.
  const { limited, refused, lost, killed, deleted, stops, decisions, plans } = figures;
  for (const [what, count] of Object.entries({
    ...{ limited, refused, lost, killed, deleted, stops, decisions, plans },
  }))
    expect({ what, some: count > 0 }).toEqual({ what, some: true });
}, 120_000);
