import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { parse } from '../arguments.ts';
import { Failed, WrongUsage } from '../ends.ts';
import { isNode24 } from '../node.ts';
import { filesOf } from './files.ts';
import { stackName, wrongName } from './name.ts';
import { npmrc, projectManifest } from './project.ts';
import { DEFAULT_TEMPLATE, templateList, templates } from './templates.ts';

const usage = `steploop init NAME [--template TEMPLATE]

Makes the folder NAME with an agent, its test, its eval and its stack. "." makes it in this folder, which must be empty.

Templates:
${templateList()}`;

const options = { template: { type: 'string', default: DEFAULT_TEMPLATE } } as const;

/** `steploop init`: writes files, without questions and without the network. */
export async function init(args: readonly string[]): Promise<number> {
  const parsed = parse(args, { usage, options, words: 1 });
  if (!parsed) return 0;
  const { template } = parsed.values;
  const chosen = Object.hasOwn(templates, template) ? templates[template] : undefined;
  if (!chosen)
    throw new WrongUsage(`There is no template ${template}. The templates are:\n\n${templateList()}`);
  const [given] = parsed.positionals;
  if (!given) throw new WrongUsage(`Name the project.\n\n${usage}`);
  const name = given === '.' ? basename(process.cwd()) : given;
  const wrong = wrongName(name);
  if (wrong) throw new WrongUsage(wrong);
  const folder = resolve(given);
  await insistOnEmpty(folder);

  for (const [path, text] of await filesOf(template)) await write(join(folder, path), filledIn(text, name));
  const ownNode = !isNode24();
  if (ownNode) await write(join(folder, '.npmrc'), npmrc);
  await write(
    join(folder, 'package.json'),
    `${JSON.stringify(projectManifest(name, ownNode, chosen.packages), null, 2)}\n`,
  );
  console.log(next(given, name));
  return 0;
}

async function insistOnEmpty(folder: string): Promise<void> {
  const there = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    if (error.code === 'ENOTDIR') throw new Failed(`${folder} is a file. Choose another name.`);
    throw new Failed(`${folder} cannot be read: ${error.message}`);
  });
  const [first] = there.filter((name) => name !== '.git');
  if (first !== undefined)
    throw new Failed(`${folder} is not empty: it has ${first}. Nothing was written. Choose another name.`);
}

const filledIn = (text: string, name: string): string =>
  text.replaceAll('{{name}}', name).replaceAll('{{stack}}', stackName(name));

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  // Never overwrites a file that was created since this began.
  await writeFile(path, text, { flag: 'wx' });
}

const next = (given: string, name: string): string => `Created ${name}.

${given === '.' ? '' : `  cd ${given}\n`}  npm install
  npm test          # plays a conversation with the agent, with a scripted model
  npm run eval      # plays cases with the agent, and scores them
  npm run dev       # runs it on this machine, without an account

README.md explains the files.`;
