import type { PinnedTool } from '../../session/pinned.ts';
import { type PinnedSkills, SKILL_TOOL } from '../../session/skills.ts';

/** Lines that one call may return. */
export const MAX_LINES = 2_000;
/** Characters of a path or a name. */
export const MAX_PATH = 1_000;

/** The tool that reads skills, as the model is told of it. With skills of the workspace, names are not known in advance. */
export const skillDeclaration = ({
  list,
  workspace,
}: Pick<PinnedSkills, 'list' | 'workspace'>): PinnedTool => ({
  name: SKILL_TOOL,
  description: `Read the instructions of a skill, or with path one of its files: the skills are listed in your instructions.${workspace ? ' Without a name, the skills of the workspace are listed too.' : ''} A long file is returned in parts: offset is the first line, from 1.`,
  input_schema: {
    type: 'object',
    properties: {
      name: {
        type: 'string',
        description: 'The name of the skill.',
        ...(!workspace && { enum: list.map(({ name }) => name) }),
      },
      path: {
        type: 'string',
        description:
          'A file of the skill, by its path in the folder of the skill. Its instructions when absent.',
      },
      offset: { type: 'integer', minimum: 1, description: 'The first line to return. 1 when absent.' },
    },
    ...(!workspace && { required: ['name'] }),
    additionalProperties: false,
  },
});
