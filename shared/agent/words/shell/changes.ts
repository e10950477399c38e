import { own } from '../../plain/merge.ts';
import { type Program, plainArgs } from './programs.ts';
import { setOf } from './starters.ts';
import { tokensOf } from './verifies.ts';

/** Stands for files that a command does not name. */
const SOME = ['?'];

/** Programs that change the files that they name. */
const CHANGE_ALL = setOf('mv rm unlink touch shred truncate rename ed ex');
/** Programs that change the last file that they name. */
const CHANGE_LAST = setOf('cp install ln rsync');
/** Programs that write the files that they are given. */
const FORMATTERS = setOf('pip-compile black isort autopep8 yapf autoflake rustfmt jscodeshift codemod');

/** First words with which a program changes files of the work, in addition to those below. */
const BY_FIRST_WORD: Readonly<Record<string, ReadonlySet<string>>> = {
  git: setOf('am rm mv restore revert merge rebase cherry-pick pull reset clean checkout switch stash apply'),
  cargo: setOf('add remove rm update new init fix fmt'),
  go: setOf('get fmt fix generate mod'),
  poetry: setOf('add remove update lock'),
  uv: setOf('add remove lock'),
  pdm: setOf('add remove update lock'),
  bundle: setOf('add update remove'),
  composer: setOf('require remove update'),
  dotnet: setOf('add new remove format'),
  deno: setOf('fmt add remove'),
  ruff: setOf('format'),
  biome: setOf('format'),
  terraform: setOf('fmt'),
  alembic: setOf('revision'),
  prisma: setOf('migrate format'),
  'manage.py': setOf('makemigrations makemessages startapp'),
  rails: setOf('generate g destroy'),
  dart: setOf('format fix'),
  mix: setOf('format'),
};

/** Options with which such a first word only shows what it would do, or starts a branch. */
const ONLY_SHOWS: Readonly<Record<string, RegExp>> = {
  'git apply': /^--(?:check|stat|numstat|summary)$/,
  'git checkout': /^(?:-b|-B|--orphan)$/,
  'git switch': /^(?:-c|-C|--create|--force-create|--orphan)$/,
  'git clean': /^(?:-\w*n\w*|--dry-run)$/,
  'git rm': /^(?:-n|--dry-run|--cached)$/,
  'git mv': /^(?:-n|--dry-run)$/,
  'git stash': /^(?:list|show|drop|clear)$/,
  'go mod': /^(?:download|verify|graph|why)$/,
};

/** Named packages are recorded in a file; without a name, packages are only fetched. */
const PACKAGES = setOf('install i add uninstall remove rm un update upgrade up version');
/** Words in the names of scripts and targets that write. */
const WRITING = setOf('format fmt fix generate gen codegen');
const RUNNERS = setOf('npm pnpm yarn bun make just task rake nx turbo');

/** Code that writes files, as one-line programs do. */
const WRITES_FILES =
  /\bwrite_?(?:text|bytes|lines|file)|\bopen\s*\([^)]*,\s*(?:mode\s*=\s*)?["'][wax+]|\b(?:os|fs|shutil|File|FileUtils)\.(?:promises\.)?(?:remove|unlink|rename|replace|write|append|copy|move|rm|mv|cp)|\bappendFile|\bfile_put_contents/i;

/** The files that a program of a script changes if it succeeds; `?` for those that it does not name. */
export function changesOf(program: Program): readonly string[] {
  const found = [...program.writes, ...changedBy(program)].filter((file) => !isScratch(file));
  return [...new Set(found.map((file) => (isName(file) ? file : '?')))];
}

function changedBy(program: Program): readonly string[] {
  const { name, args, input } = program;
  const has = (pattern: RegExp) => args.some((word) => pattern.test(word));
  const plain = plainArgs(program);
  const named = plain.length > 0 ? plain : SOME;
  switch (name) {
    case 'tee':
    case 'sponge':
      return plain;
    case 'sed':
    case 'perl':
    case 'ruby':
      if (has(name === 'sed' ? /^(?:-[a-zA-Z]*i|--in-place)/ : /^-[pnl0wE]*i/)) return edited(program);
      break;
    case 'chmod':
    case 'chown':
      return args.filter((word) => !word.startsWith('-')).slice(1);
    case 'patch':
      return has(/^--dry-run$/) ? [] : SOME;
    case 'apply_patch':
      return filesOfPatch(`${args.join('\n')}\n${input}`);
    case 'dd':
      return args.flatMap((word) => (word.startsWith('of=') ? [word.slice(3)] : []));
    case 'curl':
      return args.flatMap((word, i) => (/^(?:-o|--output)$/.test(args[i - 1] ?? '') ? [word] : []));
    case 'find':
      return foundAndChanged(program);
    case 'yq':
    case 'prettier':
    case 'eslint':
    case 'stylelint':
    case 'ruff':
    case 'biome':
    case 'gofmt':
    case 'clang-format':
    case 'rubocop':
      if (has(/^(?:--write|-w|--fix(?:-\w+)?|--apply(?:-\w+)?|-i|-[aA]|--autocorrect(?:-all)?)$/))
        return SOME;
      break;
    default:
  }
  if (CHANGE_ALL.has(name)) return named;
  if (CHANGE_LAST.has(name)) return copied(plain);
  if (has(/^--check$|^-check$|^--diff$/)) return [];
  if (FORMATTERS.has(name)) return SOME;
  if (RUNNERS.has(name) && plain.some((word) => tokensOf(word).some((token) => WRITING.has(token))))
    return SOME;
  if (/^(?:npm|pnpm|yarn|bun)$/.test(name))
    return PACKAGES.has(plain[0] ?? '') && plain.length > 1 ? SOME : [];
  if (own(BY_FIRST_WORD, name)?.has(plain[0] ?? '')) return firstWordChanges(program, plain);
  const script = plain[0]?.split('/').at(-1) ?? '';
  if (name === 'python' && own(BY_FIRST_WORD, script)?.has(plain[1] ?? '')) return SOME;
  return has(/^-\w*[ce]$|^--eval$/) || input !== '' ? writtenByCode(program) : [];
}

function firstWordChanges({ name, args }: Program, plain: readonly string[]): readonly string[] {
  const [first = ''] = plain;
  const given = args.slice(args.indexOf(first) + 1);
  if (given.some((word) => ONLY_SHOWS[`${name} ${first}`]?.test(word))) return [];
  // Without these options the files stay as they are.
  if (name === 'git' && first === 'reset' && !given.some((word) => /^--(?:hard|merge|keep)$/.test(word)))
    return [];
  if (given.includes('--')) return given.slice(given.indexOf('--') + 1);
  return name === 'git' && /^(?:rm|mv|restore)$/.test(first) ? plain.slice(1) : SOME;
}

/** The files that are edited in place: the arguments after the script that do not belong to an option. */
function edited({ args }: Program): readonly string[] {
  const isScript = (word: string) => /^-[a-zA-Z]*[ef]$|^--expression$|^--file$/.test(word);
  const scripted = args.some((word) => isScript(word) || /^--(?:expression|file)=/.test(word));
  const plain = args.filter((word, i) => word !== '' && !/^-./.test(word) && !isScript(args[i - 1] ?? ''));
  const files = scripted ? plain : plain.slice(1);
  return files.length > 0 ? files : SOME;
}

/** The files that copies write: the last path, or files in it with the names of the others. */
function copied(plain: readonly string[]): readonly string[] {
  const to = plain.at(-1);
  if (to === undefined || plain.length < 2) return SOME;
  const folder = to.replace(/\/+$/, '');
  return [to, ...plain.slice(0, -1).map((from) => `${folder}/${from.split('/').at(-1)}`)];
}

function foundAndChanged({ args, ...rest }: Program): readonly string[] {
  if (args.includes('-delete')) return SOME;
  const at = args.findIndex((word) => /^-(?:exec|execdir|ok)$/.test(word));
  const [path = '', ...given] = at < 0 ? [] : args.slice(at + 1);
  const name = path.split('/').at(-1) ?? '';
  return changedBy({ ...rest, name, path, args: given }).length > 0 ? SOME : [];
}

const filesOfPatch = (text: string): readonly string[] => {
  const files = [...text.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm)].map(([, file = '']) =>
    file.trim(),
  );
  return files.length > 0 ? files : SOME;
};

const writtenByCode = ({ name, args, input }: Program): readonly string[] =>
  /^(?:python|node|ruby|perl|php|deno|bun|tsx)$/.test(name) &&
  WRITES_FILES.test(`${args.join('\n')}\n${input}`)
    ? SOME
    : [];

/** Files that are not part of the work: devices, temporary files, logs, and generated files. */
const isScratch = (file: string): boolean =>
  /[^/]\.(?:log|orig|rej|bak)$/.test(file) ||
  /^\/dev\/|^(?:\/var)?\/tmp\/[^/]*$|^\$\{?(?:TMPDIR|TMP|TEMP)\b|mktemp/.test(file) ||
  /(?:^|\/)(?:node_modules|coverage|htmlcov|dist|__pycache__|\.next|\.nyc_output|\.\w+_cache)(?:\/|$)/.test(
    file,
  );

/** A literal name: the targets of patterns and variables are unknown. */
const isName = (file: string): boolean => !/[*?$`{}[\]]/.test(file) && file !== '';
