import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

interface Workflow {
  readonly permissions: object;
  readonly jobs: Readonly<Record<string, { permissions: object; steps: { uses?: string; run?: string }[] }>>;
}

describe.each(globSync('.github/workflows/*.yml'))('%s', (path) => {
  const text = readFileSync(path, 'utf8');
  const { permissions, jobs }: Workflow = parse(text);
  const steps = Object.values(jobs).flatMap((job) => job.steps);

  test('pins each action to a commit, and names its version', () => {
    const uses = steps.flatMap((step) => step.uses ?? []);
    expect(uses.length).toBeGreaterThan(0);
    for (const action of uses) expect(text).toMatch(new RegExp(`${action} # v\\d+\\.\\d+\\.\\d+$`, 'm'));
    expect(uses.filter((action) => !/@[0-9a-f]{40}$/.test(action))).toEqual([]);
  });

  test('has no permission that a job does not name', () => expect(permissions).toEqual({}));

  test('runs only scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
    for (const { run = '' } of steps)
      for (const [, name = ''] of run.matchAll(/npm run ([\w:]+)/g)) expect(scripts).toHaveProperty([name]);
  });
});

test('each package that is published names this repository, as provenance demands, and has the same version', () => {
  const manifests = ['.', ...globSync('packages/*')].map((folder) =>
    JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')),
  );
  const [whole] = manifests;
  expect(manifests.map(({ name }) => name)).toHaveLength(3);
  for (const { repository, version, license } of manifests) {
    expect(repository.url).toBe(whole.repository.url);
    expect({ version, license }).toEqual({ version: whole.version, license: whole.license });
  }
  const workflow = readFileSync('.github/workflows/publish.yml', 'utf8');
  for (const { name } of manifests) expect(workflow).toContain(name.replace('@', '').replace('/', '-'));
});
