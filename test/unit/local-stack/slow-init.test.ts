import { expect, test } from 'vitest';
import { startThread } from '../../../local/stack/lambda/thread.ts';

/** Runs an invocation in a new thread whose code outside of the handler takes this long, or never ends, in ms. */
async function runIn(initMs: number | 'never', { alone = true, timeoutMs = 20_000, initLimitMs = 100 } = {}) {
  const wait = initMs === 'never' ? '' : `setTimeout(resolve, ${initMs})`;
  const code = `await new Promise((resolve) => { setInterval(() => {}, 1_000); ${wait} });
    export const handler = async () => 'done';`;
  const thread = startThread({
    start: {
      ...{
        module: `data:text/javascript,${encodeURIComponent(code)}`,
        exportName: 'handler',
        commonJs: false,
      },
      ...{ functionName: 'f', functionArn: 'arn', memoryMb: 128 },
    },
    ...{ variables: {}, alone, initLimitMs },
    log: () => undefined,
    freed: () => undefined,
  });
  const { outcome } = await thread.run({ requestId: 'r', event: '{}' }, timeoutMs);
  const { alive } = thread;
  await thread.kill();
  return { kind: outcome.kind, alive };
}

test('initialization that takes too long continues in its invocation’s time, and the call is answered', async () => {
  expect(await runIn(400)).toEqual({ kind: 'ok', alive: true });
});

test('initialization ends when the invocation’s time is over too', async () => {
  expect(await runIn('never', { timeoutMs: 200 })).toEqual({ kind: 'timeout', alive: false });
});

test('in a shared environment initialization ends at its limit', async () => {
  expect(await runIn('never', { alone: false })).toEqual({ kind: 'timeout', alive: false });
});
