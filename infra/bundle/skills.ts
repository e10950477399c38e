/**
 * The skills of a project in a bundle: their facts in a module, and the files of each in one file next to it, which a function reads
 * when they are not stored yet. Nothing of them is part of a cold start.
 */

import { dirname } from 'node:path';
import type { Plugin } from 'esbuild';
import { type DeployedSkill, deployableSkills } from '../../shared/skills/project.ts';

/** @param definition path of the definition, which the folder `skills` stands beside */
export const projectSkills = (definition: string): Plugin => ({
  name: 'skills',
  setup(build) {
    build.onLoad({ filter: /[\\/]functions[\\/]ports[\\/]skills-data\.[tj]s$/ }, async () => ({
      contents: moduleOf(await deployableSkills(dirname(definition))),
      loader: 'js',
      resolveDir: dirname(definition),
    }));
    build.onResolve({ filter: /^skill-pack:/ }, ({ path, resolveDir }) => ({
      path: `${path.slice('skill-pack:'.length)}.skill`,
      namespace: 'skill-pack',
      pluginData: resolveDir,
    }));
    build.onLoad({ filter: /.*/, namespace: 'skill-pack' }, async ({ path }) => {
      const skills = await deployableSkills(dirname(definition));
      const skill = skills.find(({ name }) => `${name}.skill` === path);
      return { contents: (await skill?.pack()) ?? '', loader: 'file' };
    });
  },
});

const moduleOf = (skills: readonly DeployedSkill[]): string => `
  import { readFile } from 'node:fs/promises';
  ${skills.map(({ name }, i) => `import pack${i} from ${JSON.stringify(`skill-pack:${name}`)};`).join('\n  ')}
  const skill = (facts, file) => ({ ...facts, pack: () => readFile(new URL(file, import.meta.url), 'utf8') });
  export const skills = [
    ${skills.map(({ pack: _, ...facts }, i) => `skill(${JSON.stringify(facts)}, pack${i}),`).join('\n    ')}
  ];
`;
