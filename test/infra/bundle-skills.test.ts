import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reachable, sizesOf } from '../../infra/bundle/size.ts';
import { bundleFunction } from '../../infra/bundle.ts';
import { prepare } from '../../infra/definition/prepare.ts';
import { packHash } from '../../shared/agent/skills/pack.ts';
import { readSkillFolder } from '../../shared/skills/folder.ts';
import { allSkills, writeSkills } from '../support/skills/index.ts';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'steploop-skills-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** A project whose agent names these skills. */
async function project(name: string, named: readonly string[], has = allSkills): Promise<string> {
  const folder = join(root, name);
  await mkdir(folder);
  await writeSkills(join(folder, 'skills'), has);
  const definition = join(folder, 'steploop.config.ts');
  await writeFile(
    definition,
    `import { defineAgent, defineDeployment } from 'steploop';
     const agent = defineAgent({ name: 'support', version: '1', model: { name: 'm' }, system: 's', skills: ${JSON.stringify(named)} });
     export default defineDeployment({ agents: [agent] });`,
  );
  return definition;
}

describe('a project with skills', () => {
  it('has their files beside the step function, which a cold start does not read', async () => {
    const bundled = async (definition: string, name: string) => {
      const { directory, metafile } = await bundleFunction('step', { definition, outdir: join(root, name) });
      return { directory, metafile, ...sizesOf(metafile) };
    };
    const none = await bundled(await project('none', [], []), 'without');
    const some = await bundled(await project('some', ['refunds']), 'with');
    expect(some.eager - none.eager).toBeLessThan(500);

    const packs = (await readdir(some.directory)).filter((file) => file.endsWith('.skill'));
    // Those with an error are left out.
    expect(packs).toHaveLength(allSkills.filter(({ errors = [] }) => errors.length === 0).length);
    const refunds = packs.find((file) => file.startsWith('refunds-'));
    const { skill } = await readSkillFolder(join(root, 'some/skills/refunds'), 'refunds');
    expect(packHash(await readFile(join(some.directory, String(refunds)), 'utf8'))).toBe(skill?.hash);

    const eager = reachable(some.metafile, ['import-statement', 'require-call']);
    const holds = (path: string) =>
      Object.keys(some.metafile.outputs[path]?.inputs ?? {}).some((input) =>
        /agent\/skills\/(?!limits|session)/.test(input),
      );
    expect(eager.filter(holds)).toEqual([]);
    expect(some.inputs.filter(({ name }) => name === 'yaml').map(({ lazy }) => lazy)).toEqual([true]);
  });

  it('is refused if a skill is missing or wrong, before anything is bundled', async () => {
    const definition = await project('wrong', ['refunds', 'no-end', 'linked', 'nothing']);
    expect(() => prepare(definition, false)).toThrow(
      [
        'agent support: there is no skills/nothing/SKILL.md beside the definition',
        'skills/linked/passwords.txt: is a link: put the file itself there',
        'skills/no-end/SKILL.md:1: the front matter has no end: put a line --- after its last key',
      ].join('\n'),
    );
  });

  it('is told by its facts', async () => {
    const definition = await project('facts', ['refunds', 'hidden-words']);
    expect(prepare(definition, false).facts.agents).toMatchObject([{ skills: ['refunds', 'hidden-words'] }]);
  });
});
