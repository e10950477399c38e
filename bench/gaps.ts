/**
 * The gaps between two changes of a text that streams, as a person sees them: `npm run bench:gaps`.
 *
 * A model on the embedded stack says words at a steady pace, and clients follow over the WebSocket. One shows text as it
 * arrives, one reveals it at an even pace (`smooth` of steploop/client, the default of the hooks), and the ratio of both is told.
 */

import { optionsOf, whole } from '../test/support/command-line.ts';
import { embedded } from '../test/support/embedded.ts';
import { inAssembly } from '../test/support/synthesize.ts';
import { connect, smooth, textOf, type View, watchSession } from '../web/client/index.ts';
import { benchModel } from './support/model.ts';

const HELP = `npm run bench:gaps -- [options]

  --words N   words of the reply (200)
  --every MS  ms between two words (50)
  --smoke     10 words: whether it works, not how even the text is`;

const option = optionsOf(HELP, {
  words: { type: 'string', default: '200' },
  every: { type: 'string', default: '50' },
  smoke: { type: 'boolean', default: false },
});
const words = option.smoke ? 10 : whole('words', option.words);
const every = whole('every', option.every);

await inAssembly({ compute: 'lambda' }, measure, option.smoke);

async function measure(assembly: string): Promise<void> {
  const pieces = Array.from({ length: words }, (_, i) => `word${i} `);
  await using model = await benchModel({ steps: 1, speaksMs: words * every, pieces: () => pieces });
  await using world = await embedded({ assembly, model });
  const { HttpUrl: httpUrl = '', SocketUrl: socketUrl = '' } = world.stack.outputs;
  const client = connect({ httpUrl, socketUrl, token: world.token });
  const { body } = await world.api('POST', '/sessions', { agent: 'enduring', message: 'Talk. RUN<talk>' });
  const arrived = changes();
  const seen = changes();
  const smoothed = smooth(seen.onView);
  const watch = watchSession(client, body.sessionId, {
    onView(view) {
      arrived.onView(view);
      smoothed.show(view);
    },
  });
  await world.atRest(body.sessionId);
  await seen.has(pieces.join(''));
  watch.close();
  client.close();
  smoothed.close();
  const [asPushed, asSeen] = [arrived.gaps(), seen.gaps()];
  console.log(`${words} words, one each ${every} ms. Gaps between two changes of the text, in ms:\n`);
  console.log('              p50    p95    max   changes');
  console.log(line('as it arrives', asPushed));
  console.log(line('smooth', asSeen));
  console.log(`\np95: ${(at(asPushed, 0.95) / at(asSeen, 0.95)).toFixed(1)} times shorter`);
}

/** The moments at which the text changes. */
function changes() {
  const times: number[] = [];
  let text = '';
  let onText = () => {};
  return {
    onView(view: View): void {
      const now = textOf(view);
      if (now === text) return;
      text = now;
      times.push(performance.now());
      onText();
    },
    /** Resolves when all of it is shown. */
    has: (all: string): Promise<void> =>
      new Promise((resolve) => {
        onText = () => {
          if (text === all) resolve();
        };
        onText();
      }),
    gaps: (): number[] => times.slice(1).map((time, i) => time - (times[i] ?? 0)),
  };
}

/** A quantile of the gaps. */
function at(gaps: readonly number[], share: number): number {
  const sorted = gaps.toSorted((a, b) => a - b);
  return sorted[Math.min(gaps.length - 1, Math.floor(gaps.length * share))] ?? Number.NaN;
}

function line(name: string, gaps: readonly number[]): string {
  const columns = [at(gaps, 0.5), at(gaps, 0.95), at(gaps, 1)].map((ms) => ms.toFixed(0).padStart(6));
  return `${name.padEnd(13)}${columns.join('')}${String(gaps.length + 1).padStart(10)}`;
}
