import * as z from 'zod';
import { type PinnedSkills, shortVersion, WORKSPACE_SKILL } from '../../session/skills.ts';
import { bodyOf, plainText } from '../../skills/split.ts';
import type { Tool, ToolContext } from '../tool.ts';
import { MAX_LINES, MAX_PATH, skillDeclaration } from './declaration.ts';
import { inWorkspace, listOfWorkspace, type WorkspaceSkill } from './of-workspace.ts';
import { filesLine, type OpenSkill, SKILLS_ROOT } from './opened.ts';

const Input = z.object({
  name: z.string().max(MAX_PATH).optional(),
  path: z.string().max(MAX_PATH).optional(),
  offset: z.int().min(1).max(10_000_000).default(1),
});

/** Characters of one result: below `limits.maxToolOutputChars`, so that the result says where to continue. */
const MAX_CHARS = 40_000;
/** Characters of one line. */
const MAX_LINE = 4_000;
/** The tool that reads the skills of a session. */
export function skillTool(skills: PinnedSkills): Tool {
  const { name, description } = skillDeclaration(skills);
  return {
    name,
    description,
    input: Input,
    effect: 'read',
    level: 'safe',
    approval: 'never',
    async run(input, context) {
      const { name: asked, path, offset } = Input.parse(input);
      if (asked === undefined || asked === '') return listAll(skills, context);
      const from = asked.startsWith(WORKSPACE_SKILL)
        ? await inWorkspace(asked.slice(WORKSPACE_SKILL.length), skills, context)
        : await deployed(asked, skills, context);
      const main = path === undefined || path === '' || path === 'SKILL.md';
      const bytes = await from.read(main ? 'SKILL.md' : path);
      const text = textOf(bytes);
      if (text === undefined)
        return `[${path} of the skill ${asked} is binary, ${bytes.length} bytes, so it is not shown as text.]`;
      const part = partOf(
        main ? bodyOf(text) : plainText(text),
        offset,
        main ? asked : `${path} of ${asked}`,
      );
      return main && offset === 1 ? `${from.about}\n\n${part}\n\n${await from.after()}` : part;
    },
  };
}

async function deployed(name: string, skills: PinnedSkills, { services }: ToolContext): Promise<OpenSkill> {
  const files = await services.skills.files(name);
  const { hash = '', allowedTools, compatibility } = skills.list.find((one) => one.name === name) ?? {};
  return {
    about: `[skill ${name}, version ${shortVersion(hash)}]`,
    read: (path) => services.skills.read(name, path),
    after: async () =>
      [
        ...filesLine(
          files.map(({ path }) => path),
          `a shell has them in ${SKILLS_ROOT}/${name}`,
        ),
        ...(allowedTools
          ? [`[it is written for these tools, by the names of its author: ${allowedTools.join(', ')}]`]
          : []),
        ...(compatibility ? [`[it says that it needs: ${compatibility.replaceAll(/\s+/g, ' ')}]`] : []),
        '[end of the skill]',
      ].join('\n'),
  };
}

async function listAll(skills: PinnedSkills, context: ToolContext): Promise<string> {
  const names = skills.list.map(({ name }) => name);
  const found: readonly WorkspaceSkill[] = skills.workspace
    ? await listOfWorkspace(skills.workspace, context)
    : [];
  const own = names.length > 0 ? [`Described in your instructions: ${names.join(', ')}.`] : [];
  const sent =
    found.length > 0
      ? [
          'In the workspace:',
          ...found.map(({ name, description }) => `- ${WORKSPACE_SKILL}${name}: ${description}`),
        ]
      : ['There are none in the workspace.'];
  return [...own, ...(skills.workspace ? sent : [])].join('\n');
}

function partOf(text: string, offset: number, what: string): string {
  const lines = text.split('\n');
  if (offset > lines.length)
    throw new Error(`${what} has ${lines.length} lines: there is no line ${offset}.`);
  const shown: string[] = [];
  let chars = 0;
  for (const line of lines.slice(offset - 1, offset - 1 + MAX_LINES)) {
    const cut =
      line.length > MAX_LINE
        ? `${line.slice(0, MAX_LINE).toWellFormed()} … [${line.length - MAX_LINE} more characters]`
        : line;
    if (shown.length > 0 && chars + cut.length > MAX_CHARS) break;
    shown.push(cut);
    chars += cut.length + 1;
  }
  const last = offset - 1 + shown.length;
  const note =
    last < lines.length
      ? `\n[${what}: lines ${offset} to ${last} of ${lines.length}; go on with offset ${last + 1}]`
      : '';
  return shown.join('\n') + note;
}

function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.subarray(0, 8_000).includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
