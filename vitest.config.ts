import { defineConfig } from 'vitest/config';
import { TurnByTurn } from './test/support/turn-by-turn.ts';

/** The lanes of the suite (docs/design.md, "Tests"). Fast ones first; what starts a stack has its own process. */
const lane = (name: string, more: object = {}) => ({
  extends: true as const,
  test: { name, include: [`test/${name}/**/*.test.ts`], ...more },
});

/** `import … from 'steploop'` means the sources here, also in processes that tests start with these options. */
const conditions = ['@steploop/source', 'node', 'development|production'];

export default defineConfig({
  ssr: { resolve: { conditions } },
  test: {
    projects: [
      // Hundreds of small files: what each would read anew takes longer than its tests. So none may leave anything behind.
      lane('unit', {
        isolate: false,
        setupFiles: ['test/support/anew.ts', 'test/support/words.ts'],
        testTimeout: 30_000,
      }),
      lane('contract', { testTimeout: 30_000 }),
      lane('sim', { setupFiles: ['test/support/words.ts'], testTimeout: 180_000 }),
      lane('infra', { testTimeout: 120_000, hookTimeout: 120_000 }),
      lane('package', {
        globalSetup: ['test/support/pack.ts'],
        testTimeout: 240_000,
        hookTimeout: 240_000,
      }),
      lane('e2e', {
        globalSetup: ['test/support/synthesize.ts'],
        testTimeout: 120_000,
        hookTimeout: 120_000,
      }),
      lane('browser', {
        globalSetup: ['test/support/synthesize.ts'],
        testTimeout: 60_000,
        hookTimeout: 120_000,
      }),
    ],
    pool: 'forks',
    // More than half of the time of a test that starts a stack is waiting: for queues, delays and npm.
    maxWorkers: 5,
    sequence: { sequencer: TurnByTurn },
  },
});
