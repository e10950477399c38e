import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type PresetName, presets } from '../../../shared/agent/config/presets.ts';
import { underPresets } from '../../../shared/agent/replay/under-presets.ts';
import { newSession } from '../../../shared/agent/session/session.ts';
import type { GuardReplay } from '../../../shared/contract/replays.ts';
import { cellsOf } from '../../../web/console/src/guards/grid.ts';
import { markWords } from '../../../web/console/src/guards/words.ts';
import { table } from '../../support/reference/table.ts';
import { play } from '../loops/runs/play.ts';
import { each, one, type Step, type Tools } from '../loops/runs/run.ts';

/** A run that begins well, runs the same failing tests, and then reads one file again and again. */
const tools: Tools = {
  read_file: 'read',
  edit_file: 'idempotent',
  run_tests: { effect: 'once', evidence: { verifies: true } },
};
const read = (path: string): Step => one('read_file', { path }, `the text of ${path}`);
const tested = one('run_tests', {}, { exitCode: 1, output: 'FAILED parser.test.ts: expected 3 to be 4' });
const steps: readonly Step[] = [
  read('parser.ts'),
  read('parser.test.ts'),
  one('edit_file', { path: 'parser.ts', text: 'three' }, 'done'),
  ...each(5, () => tested),
  ...each(8, () => read('parser.ts')),
];

const PAGE = '../../../docs/guards.md';
const [OPEN, CLOSE] = ['<!-- picture: written by test/unit/replay/picture.test.ts -->', '<!-- /picture -->'];

test('the guards’ page opens with a run, and with what each preset would have said to it', async () => {
  const unwatched = {
    guardrails: {
      loop: { enabled: false },
      nudges: { testFix: 0, shellFailures: 0 },
      toolErrors: { max: 0 },
    },
    limits: { maxSteps: 200, maxToolCalls: 0 },
    model: { name: 'test-model', price: { input: 3, output: 15 } },
  };
  const { slots, session, pinned, tools: made } = await play(tools, steps, unwatched);
  const names = Object.keys(presets) as PresetName[];
  const before = newSession(session.key, session.agent, session.definition);
  const replays = await underPresets({ session: before, slots }, pinned, made, names);
  const page = readFileSync(new URL(PAGE, import.meta.url), 'utf8');
  const [head, tail] = [page.slice(0, page.indexOf(OPEN)), page.slice(page.indexOf(CLOSE))];
  const text = picture(replays, session.run?.id ?? '');
  await expect(`${head}${OPEN}\n\n${text}\n\n${tail}`).toMatchFileSnapshot(PAGE);
});

function picture(replays: readonly GuardReplay[], runId: string): string {
  const columns = each(steps.length + 1, (i) => ({ runId, step: i + 1 }));
  const wide = Math.max(...replays.map(({ preset }) => preset.length));
  const line = (name: string, cells: readonly string[]) =>
    `${name.padEnd(wide)}  ${cells.map((cell) => cell.padStart(2)).join(' ')}`.trimEnd();
  const grid = [
    line(
      'step',
      columns.map(({ step }) => String(step)),
    ),
    ...replays.map((replay) =>
      line(
        replay.preset,
        cellsOf(replay, columns).map(({ mark }) => markWords[mark].sign),
      ),
    ),
  ];
  const legend = Object.values(markWords).flatMap(({ name, sign }) => (sign ? [`${sign} ${name}`] : []));
  const rows = replays.map(({ preset, said, ends }) => {
    const first = said.find(({ effect }) => effect !== 'allowed');
    const end = ends.find(({ state }) => state !== 'completed');
    return [
      `\`${preset}\``,
      first ? `step ${first.step}, \`${first.guard}\`: ${first.message}` : '–',
      end ? `step ${end.step}, \`${end.reason}\`` : 'never',
    ];
  });
  return [
    'A run reads two files, edits one, runs tests five times that fail alike (steps 4 to 8), and reads one file eight times (9 to 16). This is what each preset would have said to it:',
    ['```text', ...grid, '', legend.join(', '), '```'].join('\n'),
    table(['preset', 'first words', 'ends the run after'], rows),
  ].join('\n\n');
}
