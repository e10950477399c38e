import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

/** The lanes of the suite (docs/design.md, "Tests"), fast ones first. */
const lane = (
  name: string,
  { globalSetup = [], ...more }: { globalSetup?: string[]; [option: string]: unknown } = {},
) => ({
  extends: true as const,
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    globalSetup: ['test/support/scratch.ts', ...globalSetup],
    ...more,
  },
});

/** Files that share a process, because loading for each file takes longer than its tests. So none may leave anything behind. */
const shared = (...setupFiles: string[]) => ({
  isolate: false,
  setupFiles: ['test/support/between-files.ts', ...setupFiles],
});

/** Definitions that single tests deploy are bundled as `steploop dev` does. The agents that most tests share are bundled as for AWS. */
const quickly = { env: { STEPLOOP_BUNDLE_TOGETHER: '1' } };

/** `import … from 'steploop'` means the sources here, also in processes that tests start with these options. */
const conditions = ['@steploop/source', 'node', 'development|production'];

export default defineConfig({
  ssr: { resolve: { conditions } },
  test: {
    projects: [
      lane('unit', {
        ...shared('test/support/words.ts'),
        testTimeout: 30_000,
      }),
      lane('contract', { ...shared(), testTimeout: 30_000 }),
      lane('sim', { setupFiles: ['test/support/words.ts'], testTimeout: 180_000 }),
      lane('infra', { ...shared(), testTimeout: 120_000, hookTimeout: 120_000 }),
      lane('package', {
        globalSetup: ['test/support/pack.ts'],
        testTimeout: 240_000,
        hookTimeout: 240_000,
      }),
      lane('e2e', {
        ...shared(),
        ...quickly,
        globalSetup: ['test/support/synthesize.ts'],
        testTimeout: 120_000,
        hookTimeout: 120_000,
      }),
      // Checks before a release: each script of package.json in its small form, projects that people make and that
      // install the package, CopilotKit, floods, a soak, random kills, and the cost of a full context. They take many minutes, so they
      // are not in `npm test` (`npm run check:commands`).
      lane('commands', {
        globalSetup: ['test/support/pack.ts', 'test/support/synthesize.ts', 'test/support/unpack-browser.ts'],
        testTimeout: 240_000,
        hookTimeout: 300_000,
      }),
      // Proof on what AWS and others publish, which is fetched from registries (`npm run proof:real`). Not in `npm test`.
      lane('real', {
        globalSetup: ['test/support/real/prepare.ts', 'test/support/synthesize-usual.ts'],
        testTimeout: 300_000,
        hookTimeout: 300_000,
        fileParallelism: false,
      }),
      lane('attacks', {
        ...shared(),
        ...quickly,
        globalSetup: ['test/support/synthesize.ts', 'test/support/attempts.ts'],
        testTimeout: 60_000,
        hookTimeout: 120_000,
      }),
      lane('browser', {
        ...shared(),
        ...quickly,
        globalSetup: ['test/support/synthesize.ts', 'test/support/unpack-browser.ts'],
        testTimeout: 60_000,
        hookTimeout: 120_000,
      }),
    ],
    // A polled value comes late on a busy machine. The default is one second.
    expect: { poll: { timeout: 20_000 } },
    pool: 'forks',
    // Half of the time of a test that starts a stack is waiting: for queues, delays and npm.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
  },
});
