import { join, relative, sep } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { ownFolders } from '../../../cli/dev/inputs.ts';
import { buildOptions, entryPointOf } from '../../../infra/bundle.ts';
import { home } from '../../../infra/definition/source.ts';

test('a template is rebuilt when any folder has changed that a function is built from', async () => {
  const definition = join(home, 'agents', 'samples', 'operations', 'steploop.config.ts');
  const options = { ...buildOptions(definition), logLevel: 'silent', outdir: 'out', metafile: true } as const;
  const { metafile } = await build({ ...options, entryPoints: [entryPointOf('step')] });
  const ours = Object.keys(metafile.inputs).map((path) => relative(home, path).split(sep)[0] ?? '');
  const folders = new Set(ours.filter((name) => !/^(?:agents|node_modules)$|[:<]/.test(name)));
  expect([...folders].filter((name) => !ownFolders.some((one) => one === name))).toEqual([]);
  expect(folders).toContain('tools');
});
