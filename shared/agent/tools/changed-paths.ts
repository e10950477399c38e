import { own } from '../plain/merge.ts';
import type { Command } from '../words/shell/read.ts';
import { words } from '../words/words.ts';

const setOf = (names: string): ReadonlySet<string> => new Set(names.trim().split(/\s+/));

/** Programs that only read, unless an argument matches `WRITES`. */
const READS = setOf(`
  cat head tail ls grep egrep fgrep rg wc pwd echo printf which du df stat cmp nl tac rev cut tr seq basename dirname realpath
  readlink md5sum sha256sum true false test [ [[ sleep : jq diff sort uniq find git cd`);

/** Arguments with which a reading program may write a file or start another program. */
const WRITES: Readonly<Record<string, RegExp>> = {
  sort: /^(?:-[a-zA-Z]*o|--[oc])/,
  rg: /^--pre/,
  find: /^-(?:delete|exec|ok|fprint|fls)/,
  git: /^(?:--output|-O|--open|--ext-diff|--textconv|-c|-C)/,
};
const GIT_READS = setOf('status log diff show blame ls-files rev-parse grep');

/** Programs that change only paths that they name. */
const CHANGES = setOf('rm unlink rmdir touch mkdir truncate tee chmod chown mv cp');

/** Substitutions run other commands, and so may anything after a change of folder, a link, or code from elsewhere. */
const SUBSTITUTES = /`|\$\(|[<>]\(/;
const MOVES = /\b(?:cd|pushd|popd|ln|mount|alias|eval|source|exec)\b/;

/** Whether what a later script of the same shell names may be elsewhere, or have another name too. */
export const movesOn = (script: string): boolean => MOVES.test(script);

/**
 * The paths that a script may change: none if it only reads, and undefined if they are not all known. It answers only for
 * programs whose effect is certain, because a stale read is worse than a repeated one: elsewhere caches that trusted the
 * names of tools returned contents from before `sed -i` and `gofmt -w` (cline/cline#9836, topcheer/ggcode#750).
 */
export function changedPaths(script: string): readonly string[] | undefined {
  if (SUBSTITUTES.test(script)) return undefined;
  const commands = words().readShell(script);
  const paths: string[] = [];
  for (const command of commands) {
    const changed = changedBy(command);
    if (!changed || command.joint === '&') return undefined;
    paths.push(...changed, ...command.writes.filter((path) => !/^\/dev\/(?:null|std\w+|tty)$/.test(path)));
  }
  if (paths.length > 0 && movesOn(script)) return undefined;
  return paths.every(isLiteral) ? paths : undefined;
}

/** A path in which nothing is expanded. */
const isLiteral = (path: string): boolean => path !== '' && !/[*?$`{}[\]~!]/.test(path);

function changedBy({ words }: Command): readonly string[] | undefined {
  const [name = '', ...args] = words;
  if (words.length === 0) return [];
  if (name === 'sed') return editedBySed(args);
  if (CHANGES.has(name)) return namedBy(name, args);
  if (!READS.has(name) || args.some((word) => own(WRITES, name)?.test(word))) return undefined;
  if (name === 'git' && !GIT_READS.has(args[0] ?? '')) return undefined;
  // The second file is the output.
  if (name === 'uniq' && args.filter((word) => !word.startsWith('-')).length > 1) return undefined;
  return [];
}

/** Values of options are taken for paths, which does no harm. */
function namedBy(name: string, args: readonly string[]): readonly string[] | undefined {
  if (args.some((word) => /^(?:-t|--t)/.test(word))) return undefined;
  const end = args.indexOf('--');
  const paths = args.filter((word, i) => !word.startsWith('-') || (end >= 0 && i > end));
  if (name !== 'cp') return paths;
  return paths.length > 1 ? paths.slice(-1) : undefined;
}

function editedBySed(args: readonly string[]): readonly string[] | undefined {
  const scripts: string[] = [];
  const files: string[] = [];
  let inPlace = false;
  for (const [i, word] of args.entries()) {
    if (/^(?:-[nErsuz]*e|--expression)$/.test(args[i - 1] ?? '')) scripts.push(word);
    else if (/^-[nErsuz]*i$|^--in-place$/.test(word)) inPlace = true;
    else if (word.startsWith('--expression=')) scripts.push(word.slice('--expression='.length));
    else if (!/^$|^-[nErsuze]+$|^--(?:expression|quiet|silent|regexp-extended)$/.test(word)) {
      if (word.startsWith('-')) return undefined;
      files.push(word);
    }
  }
  if (scripts.length === 0) scripts.push(files.shift() ?? '');
  const isKnown = (script: string) =>
    script.length <= MAX_SED && SED.test(script) && !/\$[\w{(]/.test(script);
  if (!scripts.every(isKnown)) return undefined;
  return inPlace ? files : [];
}

const MAX_SED = 2_000;
/** Scripts of sed that write no other file and run no command: addresses with `p`, `d`, `q`, `=`, `s///`, or added text. */
const SED = new RegExp(
  [
    '^(?:[\\s;]*(?:[\\d,$~+! \\t]|/(?:[^/\\\\\\n]|\\\\.)*/)*',
    '(?:[aic][^\\n]*(?:\\n|$)|(?:[pdq=]|[sy]([^\\w\\s\\\\])(?:(?!\\1)[^\\\\]|\\\\.)*\\1(?:(?!\\1)[^\\\\]|\\\\.)*\\1[gpiIm\\d]*)',
    '[ \\t]*(?:[;\\n]|$)))+[\\s;]*$',
  ].join(''),
);
