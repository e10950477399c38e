import type { Level } from '../../shared/agent/define/index.ts';
import { type Command, readScript, type Word } from './commands.ts';

const levels: readonly Level[] = ['safe', 'moderate', 'dangerous', 'critical'];

/** Commands that only read and print. */
const reading = new Set(
  'ls cat head tail wc grep egrep fgrep rg pwd echo printf cut tr jq tree stat file du date true false test [ basename dirname realpath readlink diff cmp comm join paste nl rev tac seq sleep which type cd set wait find sort uniq'.split(
    ' ',
  ),
);
/** Commands that change files, one at a time. */
const changing = new Set('mkdir touch cp mv rm rmdir tee sed awk tar gzip gunzip ln patch'.split(' '));
/** Shell keywords before a command, and those that stand alone. */
const before = new Set('if then elif else while until do ! time {'.split(' '));
const alone = new Set('fi done esac }'.split(' '));
/** Variables that change which command runs. */
const changesCommands = /^(PATH|IFS|ENV|BASH_ENV|SHELLOPTS|LD_\w+|DYLD_\w+|GIT_\w+)=/;

/**
 * How dangerous a shell script is, for policies (docs/leave.md): as dangerous as the worst of its commands. `safe` only
 * reads; `moderate` changes files of its own; `critical` loses what cannot be restored; anything else, or unknown, is
 * `dangerous`. Pure.
 */
export function scriptLevel(script: string): Level {
  const { commands, whole } = readScript(script);
  return worst([...(whole ? [] : ['dangerous' as const]), ...commands.map(levelOf)]);
}

const worst = (all: readonly Level[]): Level =>
  all.reduce((one, other) => (levels.indexOf(other) > levels.indexOf(one) ? other : one), 'safe');

function levelOf({ words, writes }: Command): Level {
  const own: Level = writes ? 'moderate' : 'safe';
  const [first, ...args] = withoutPrefix(words);
  if (!first) return words.some(({ text }) => changesCommands.test(text)) ? 'dangerous' : own;
  if (!first.plain || words.some(({ text }) => changesCommands.test(text))) return 'dangerous';
  // A program of the workspace may have any name.
  const name = /^(?:\/usr)?\/bin\/([^/]+)$/.exec(first.text)?.[1] ?? first.text;
  return worst([own, levelOfCommand(name, args)]);
}

/** Without shell keywords, and without variables that are set for the one command. */
function withoutPrefix(words: readonly Word[]): readonly Word[] {
  const at = words.findIndex(({ text }) => !before.has(text) && !alone.has(text) && !/^\w+=/.test(text));
  const rest = at < 0 ? [] : words.slice(at);
  // The list of a loop is not a command.
  return rest[0]?.text === 'for' ? [] : rest;
}

function levelOfCommand(name: string, args: readonly Word[]): Level {
  const has = (option: RegExp) => args.some(({ text }) => option.test(text));
  switch (name) {
    case 'rm':
      return levelOfRemoval(args);
    case 'git':
      return levelOfGit(args);
    case 'mkfs':
    case 'shutdown':
    case 'reboot':
      return 'critical';
    case 'dd':
      return has(/^of=\/dev\//) ? 'critical' : 'dangerous';
    case 'find':
      return has(/^-(delete|exec|execdir|ok|okdir|fprint\w*|fls)$/) || args.some(isSpread)
        ? 'dangerous'
        : 'safe';
    case 'rg':
      return has(/^--pre/) || args.some(isSpread) ? 'dangerous' : 'safe';
    case 'sort':
      return has(/^(-\w*o|--output)/) ? 'moderate' : 'safe';
    case 'uniq':
      return args.filter(({ text }) => !text.startsWith('-')).length > 1 ? 'moderate' : 'safe';
    case 'awk':
      return has(/system|getline|\||^-f|^--file/) || args.some(isSpread) ? 'dangerous' : 'moderate';
    case 'test':
    case '[':
    case 'printf':
      // Shells evaluate variable names that these options take.
      return has(/^-v|\$\(|`/) ? 'dangerous' : 'safe';
    case 'tar':
      return has(/^--(to-command|use-compress-program|checkpoint-action)|^-\w*I/) ? 'dangerous' : 'moderate';
    case 'sed':
      return has(runsInSed) || args.some(isSpread) ? 'dangerous' : 'moderate';
    default:
      if (reading.has(name)) return 'safe';
      return changing.has(name) ? 'moderate' : 'dangerous';
  }
}

/** The command `e` of sed, the `e` flag of its `s`, and a script in a file. */
const runsInSed =
  /(^|[;{}\n\d$/])[ \t]{0,9}e(\s|$)|[^\w\s][gpiImM\d]*e[gpiImM\d]*\s{0,9}([;}\n]|$)|^-\w*f|^--file/;

/** An argument that may expand to an option, or to any other text. */
const isSpread = ({ text, plain }: Word): boolean => !plain && /^[-$`{*?[]/.test(text);

/** Folders whose loss leaves little. */
const roots = new Set('/ ~ /workspace /home /root /etc /usr /var'.split(' '));

/** Whether a word names such a folder, one further up, or a path that is unknown before the script runs. */
function isEverything({ text, plain }: Word): boolean {
  const parts = text.split('/').filter((part) => part !== '' && part !== '*');
  if (parts.every((part) => part === '.' || part === '..')) return true;
  return roots.has(`${text.startsWith('/') ? '/' : ''}${parts.join('/')}`) || (!plain && /^[$`~]/.test(text));
}

function levelOfRemoval(args: readonly Word[]): Level {
  const options = args.filter(({ text }) => text.startsWith('-'));
  const files = args.filter(({ text }) => !text.startsWith('-'));
  const recursive = options.some(({ text, plain }) => !plain || /^-\w*[rR]|^--recursive/.test(text));
  if (recursive) return files.some(isEverything) ? 'critical' : 'dangerous';
  return args.every(({ plain }) => plain) ? 'moderate' : 'dangerous';
}

const gitReads = new Set('status log diff show blame ls-files rev-parse describe shortlog grep'.split(' '));
const gitChanges = new Set('add commit mv init stash switch merge'.split(' '));

function levelOfGit(args: readonly Word[]): Level {
  const at = args.findIndex(({ text }) => !text.startsWith('-'));
  // Options before the subcommand may name another folder, or another program.
  if (at !== 0) return 'dangerous';
  const [command = '', ...rest] = args.map(({ text }) => text);
  const has = (option: RegExp) => rest.some((text) => option.test(text));
  const known = args.every(({ plain }) => plain);
  if (command === 'push' && has(/^(-\w*[fd]|--force|--delete|--mirror|--prune|\+|:)/)) return 'critical';
  if (command === 'reset' && has(/^--hard/)) return 'critical';
  if (command === 'clean' && has(/^(-\w*f|--force)/)) return 'critical';
  if (command === 'filter-branch' || (command === 'reflog' && has(/^(expire|delete)/))) return 'critical';
  if (!known || has(/^--(output|ext-diff|textconv|exec|upload-pack|open-files-in-pager)|^-O/))
    return 'dangerous';
  if (gitReads.has(command)) return 'safe';
  return gitChanges.has(command) && !has(/^(-\w*f|--force|--discard|drop$|clear$)/)
    ? 'moderate'
    : 'dangerous';
}
