/** Reads the skills of a session. Loaded when a call reads one. */

import { nearest } from '../plain/nearest.ts';
import type { SkillFile, SkillsOf } from './of-session.ts';
import { filesOfSkill } from './store.ts';

export async function filesOf(of: SkillsOf, name: string): Promise<readonly SkillFile[]> {
  const files = await opened(of, name);
  return [...files]
    .map(([path, { length }]) => ({ path, bytes: length }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

export async function readFile(of: SkillsOf, name: string, path: string): Promise<Uint8Array> {
  const files = await opened(of, name);
  const bytes = files.get(pathIn(path));
  if (bytes) return bytes.slice();
  throw new Error(missing(name, path, [...files.keys()]));
}

async function opened({ tenant, skills, blobs, clock, signal }: SkillsOf, name: string) {
  signal.throwIfAborted();
  const { list } = skills ?? { list: [] };
  const skill = list.find((one) => one.name === name);
  if (skill) return filesOfSkill(tenant, skill.hash, blobs, clock);
  const names = list.map((one) => one.name);
  const near = nearest(name, names);
  throw new Error(
    `there is no skill named ${shown(name)}.${near ? ` The nearest name is ${near}.` : ''} The skills are: ${names.join(', ') || 'none'}.`,
  );
}

/**
 * The path as it is stored. Skills are often written for a folder on a disk, so `./a` and `x/../a` are `a`; a path that leads out
 * of the skill is refused.
 */
export function pathIn(given: string): string {
  const outside = () =>
    new Error(
      `${shown(given)} leads out of the skill: only its own files can be read, by their path in its folder.`,
    );
  if (given.startsWith('/') || given.includes('\\')) throw outside();
  const names: string[] = [];
  for (const name of given.normalize('NFC').split('/')) {
    if (name === '' || name === '.') continue;
    if (name !== '..') names.push(name);
    else if (names.pop() === undefined) throw outside();
  }
  return names.join('/');
}

/** Files that are named when a path is wrong. */
const MAX_NAMED = 20;

export function missing(skill: string, path: string, paths: readonly string[]): string {
  const plain = pathIn(path);
  const under = paths.filter((one) => plain === '' || one.startsWith(`${plain}/`)).sort();
  const near = nearest(plain, paths);
  const names = under.length > 0 ? under : near ? [near] : [...paths].sort();
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  const said =
    under.length > 0 ? `${shown(path)} is a folder` : `the skill ${skill} has no file ${shown(path)}`;
  return `${said}. ${near && under.length === 0 ? 'The nearest is' : 'Its files are'}: ${names.slice(0, MAX_NAMED).join(', ')}${more}.`;
}

const shown = (text: string): string =>
  JSON.stringify((text.length > 80 ? `${text.slice(0, 80)}…` : text).toWellFormed());
