import { own } from '../../plain/merge.ts';
import { type Command, readShell } from './read.ts';
import { ALIASES, BEFORE, setOf, WRAPPERS, type Wrapper } from './starters.ts';

/** The commands of a script, without words that only start them (`cd x && sudo env A=1 timeout 60 npx vitest`). */
export interface Program extends Command {
  /** The program, without its path and version: `python` of `/usr/bin/python3.12`. */
  readonly name: string;
  /** Its arguments, options included. */
  readonly args: readonly string[];
  /** The program as it was written, which may be a path. */
  readonly path: string;
  /** Whether its start or its outcome depends on more than its joint: it stands in a condition or in a loop. */
  readonly conditional: boolean;
}

const RUNS_BOTH = setOf('hatch pdm rye pixi');
const SHELLS = setOf('bash sh zsh dash ksh ash fish');
/** Programs whose arguments are a script. */
const EVALUATORS = setOf('eval watch');
/** Words of the shell's own before a command. */
const KEYWORDS = setOf('then else do { } fi done esac ! if elif while until time coproc');
/** The beginning and the end of a part that may run any number of times, or not at all. */
const OPENS = setOf('if while until for case select');
const CLOSES = setOf('fi done esac');
/** The head of a loop or of a choice, which is not a command. */
const HEADS = setOf('for case select function');
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;

/** Nested commands that only start others, and are skipped. */
const MAX_STARTERS = 12;
/** Commands of a script that are examined. */
const MAX_COMMANDS = 300;
/** Nested scripts that are read. */
const MAX_DEPTH = 4;

/** The programs that a shell script runs, in order. Input from other programs is not known. */
export const programsOf = (script: string): Program[] => flattened(script, 0);

function flattened(script: string, depth: number): Program[] {
  let open = 0;
  return readShell(script)
    .slice(0, MAX_COMMANDS)
    .flatMap((command): Program[] => {
      const words = [...command.words];
      let negated = false;
      while (KEYWORDS.has(words[0] ?? '') || HEADS.has(words[0] ?? '')) {
        const word = words.shift() ?? '';
        open += OPENS.has(word) ? 1 : CLOSES.has(word) ? -1 : 0;
        negated ||= word === '!';
        if (HEADS.has(word)) return [];
      }
      const started = unwrapped(words);
      if (started.length === 0 && command.writes.length === 0) return [];
      const program = programFrom(command, started.length > 0 ? started : [':'], negated || open > 0);
      const inner = depth < MAX_DEPTH ? scriptIn(program) : undefined;
      return inner === undefined ? [program] : within(program, flattened(inner, depth + 1));
    });
}

/** The programs of a nested script. The last inner one gets the output and the joint of the outer command. */
const within = ({ writes, silent, joint, conditional }: Program, inner: readonly Program[]): Program[] =>
  inner.map((program, i) => ({
    ...program,
    conditional: program.conditional || conditional,
    ...(i === inner.length - 1 && {
      writes: [...program.writes, ...writes],
      silent: program.silent || silent,
      joint,
    }),
  }));

const programFrom = (command: Command, words: readonly string[], conditional: boolean): Program => ({
  ...command,
  words,
  conditional,
  path: words[0] ?? '',
  name: nameOf(words[0] ?? ''),
  args: words.slice(1),
});

function nameOf(path: string): string {
  const base = (path.split('/').at(-1) ?? '').replace(/\.(?:exe|cmd|bat)$/i, '');
  const bare = base.replace(/^(python|pypy|pip|node|ruby|php|perl)[\d.]+$/, '$1');
  return own(ALIASES, bare) ?? bare;
}

/** The words without assignments before them, and without commands that only start another one. */
function unwrapped(given: readonly string[]): readonly string[] {
  let words = given;
  for (let depth = 0; depth < MAX_STARTERS; depth += 1) {
    const from = words.findIndex((word) => !ASSIGNMENT.test(word));
    if (from < 0) return [];
    words = words.slice(from);
    const inner = startedBy(words);
    if (inner === undefined || inner.length === 0) return words;
    words = inner;
  }
  return words;
}

function startedBy(words: readonly string[]): readonly string[] | undefined {
  const name = nameOf(words[0] ?? '');
  const rest = words.slice(1);
  const wrapper = WRAPPERS.get(name);
  if (wrapper) return after(wrapper, rest);
  const [sub, ...further] = withoutOptions(rest, own(BEFORE, name));
  if (sub === undefined) return undefined;
  if (name === 'docker' && sub === 'compose') return ['docker-compose', ...further];
  if (name === 'coverage' && sub === 'run') return ['python', ...further];
  if (name === 'uv' && sub === 'tool') return ['pipx', ...further];
  if (name === 'yarn' && sub === 'workspace') return ['yarn', ...further.slice(1)];
  // Scripts and programs alike, as `yarn` runs them.
  if (RUNS_BOTH.has(name) && sub === 'run') return ['yarn', ...further];
  const inner = WRAPPERS.get(`${name} ${sub}`);
  return inner && after(inner, further);
}

const after = ({ valued, skip }: Wrapper, words: readonly string[]): readonly string[] => {
  const plain = withoutOptions(words, valued).slice(skip);
  return plain[0] === '--' ? plain.slice(1) : plain;
};

/** The words from the first one that is neither an option nor its value. */
function withoutOptions(words: readonly string[], valued?: ReadonlySet<string>): readonly string[] {
  let at = 0;
  while (at < words.length) {
    const word = words[at] ?? '';
    if (word === '--') return words.slice(at + 1);
    if (!/^[-+]./.test(word)) break;
    at += valued?.has(word) ? 2 : 1;
  }
  return words.slice(at);
}

/** A program's words that are not options, from its first word on. */
export const plainArgs = ({ name, args }: Pick<Program, 'name' | 'args'>): readonly string[] =>
  withoutOptions(args, own(BEFORE, name)).filter((word) => !/^-./.test(word));

/** The script that a program is given to run, with the shell's own options before it. */
function scriptIn({ name, args, input }: Program): string | undefined {
  if (EVALUATORS.has(name)) return args.join(' ');
  if (name === 'ssh')
    return withoutOptions(args, setOf('-i -p -l -o -F -J -L -R')).slice(1).join(' ') || undefined;
  if (!SHELLS.has(name)) return undefined;
  const at = args.findIndex((word) => /^-[a-z]*c$/.test(word));
  const script = at < 0 ? (args.some((word) => !word.startsWith('-')) ? undefined : input) : args[at + 1];
  if (!script) return undefined;
  const options = args.slice(0, Math.max(at, 0) + 1).filter((word) => /^-(?!-)|^pipefail$/.test(word));
  return `set ${options.map((word) => word.replace(/[^\w-]/g, '')).join(' ')}\n${script}`;
}
