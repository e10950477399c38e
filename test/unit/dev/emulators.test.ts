import { expect, test } from 'vitest';
import { emulators, insistOnEmulators } from '../../../cli/dev/emulators.ts';
import { projectManifest } from '../../../cli/init/project.ts';

test('a project without emulators is told how to install them', () => {
  expect(() => insistOnEmulators((name) => name === 'dynalite')).toThrow(
    'steploop dev needs the emulators of DynamoDB, SQS and S3: npm install --save-dev fauxqs',
  );
  expect(() => insistOnEmulators(() => false)).toThrow(/--save-dev dynalite fauxqs$/);
});

test('a new project has them, among what only development needs', () => {
  insistOnEmulators();
  const { dependencies, devDependencies } = projectManifest('mine', false) as Record<string, object>;
  for (const name of emulators) {
    expect(devDependencies).toHaveProperty([name]);
    expect(dependencies).not.toHaveProperty([name]);
  }
});
