/** Mutants of skills (`shared/agent/skills`, `step/model/pin-skills.ts`). */

import { type Mutant, mutant } from './mutant.ts';

const store = 'shared/agent/skills/store.ts';

export const skillMutants: readonly Mutant[] = [
  mutant(
    'skills: are named before they are stored',
    'shared/agent/step/model/pin-skills.ts',
    'await keepSkills(loaded.key.tenant, deployed, io.blobs);',
    'void keepSkills(loaded.key.tenant, deployed, io.blobs).catch(() => {});',
  ),
  mutant(
    'skills: count as stored before they are',
    store,
    'if (known.get(key)) return;',
    'if (known.get(key)) return;\n      known.set(key, true);',
  ),
  mutant(
    'skills: are not those of the recovered reply',
    'shared/agent/step/model/list-tools.ts',
    'defined({ sources, formed, search, skills, refused, page })',
    'defined({ sources, formed, search, refused, page })',
  ),
];
