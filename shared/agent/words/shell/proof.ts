import { own } from '../../plain/merge.ts';
import { changesOf } from './changes.ts';
import { type Program, plainArgs, programsOf } from './programs.ts';
import { printedCode, withoutEchoes } from './said.ts';
import { setOf } from './starters.ts';
import { verifies } from './verifies.ts';

/** The proof that a finished script gives about the work. */
export interface ShellProof {
  /** Files that it has changed; `?` for those that it does not name. */
  readonly changed: readonly string[];
  /** It may have changed something, so earlier verifications are void. */
  readonly unverifies: boolean;
  /** The verification after its last change, with its exit code; null if that is hidden and the output does not show it. */
  readonly verified?: { readonly exitCode: number | null };
}

/** How a script ended. */
export interface Ended {
  readonly exitCode: number;
  readonly output: string;
}

/**
 * Reads from a script, its exit code and its output what it proves. The words of its commands decide, not those that they print:
 * `echo "no tests"` verifies nothing, and a redirection changes a file.
 */
export function shellProof(script: string, ended: Ended): ShellProof {
  const programs = untilExit(programsOf(script));
  const checks = programs.flatMap((program, i) => (verifies(program) && program.joint !== '&' ? [i] : []));
  const writers = programs.map((program, i) =>
    keepsOutputOf(checks, programs, i) ? [] : changesOf(program),
  );
  const lastWriter = writers.findLastIndex((files) => files.length > 0);
  // If a script failed, its last command failed: the commands before it were done.
  const done = ended.exitCode === 0 ? programs.length : programs.length - 1;
  const changed = [...new Set(writers.slice(0, done).flat())];
  const last = checks.filter((i) => i >= lastWriter).at(-1);
  return {
    changed,
    unverifies: lastWriter >= 0,
    ...(last !== undefined && { verified: { exitCode: exitCodeOf(programs, last, ended) } }),
  };
}

/** Programs that only look, and change nothing unless they write a file. */
const LOOKS = setOf(`
  cat head tail less more ls tree find grep egrep fgrep rg ag wc pwd echo printf which whereis type command ps df du env date
  stat file diff cmp jq yq sort uniq cut tr column awk sed test [ [[ sleep (( cd true false : set export hostname uname whoami id
  printenv basename dirname realpath readlink md5sum sha256sum nl tac rev seq xxd hexdump strings tee read wait pushd popd`);
const LOOKS_BY_WORD: Readonly<Record<string, ReadonlySet<string>>> = {
  git: setOf(
    'status log diff show branch remote grep blame ls-files ls-tree rev-parse describe shortlog reflog cat-file',
  ),
};

/** Whether a script changes nothing: each of its commands only looks, or tries something out. */
export const onlyLooks = (script: string): boolean => {
  const programs = programsOf(script);
  return programs.every(
    (program) => changesOf(program).length === 0 && (looks(program) || verifies(program)),
  );
};

const looks = (program: Program): boolean =>
  LOOKS.has(program.name) || (own(LOOKS_BY_WORD, program.name)?.has(plainArgs(program)[0] ?? '') ?? false);

/** Programs that exit with 1 if they find nothing, or a difference. */
const FINDS = setOf('grep egrep fgrep rg ag diff cmp which type command test [ [[ pgrep');

/** Whether a script ends with a search, whose exit code 1 means that there is nothing. */
export function endsInSearch(script: string): boolean {
  const last = programsOf(script).at(-1);
  if (last === undefined) return false;
  return FINDS.has(last.name) || (last.name === 'git' && /^(?:grep|diff)$/.test(plainArgs(last)[0] ?? ''));
}

/** Commands after an `exit` are not reached. */
function untilExit(programs: readonly Program[]): readonly Program[] {
  const end = programs.findIndex(
    ({ name, conditional }, i) =>
      name === 'exit' && !conditional && !/^(?:&&|\|\|)$/.test(programs[i - 1]?.joint ?? ''),
  );
  return end < 0 ? programs : programs.slice(0, end + 1);
}

/** Whether a program only writes the output of a verification: a log of it is not a change of the work. */
function keepsOutputOf(checks: readonly number[], programs: readonly Program[], i: number): boolean {
  let from = i;
  while (from > 0 && programs[from - 1]?.joint === '|') from -= 1;
  if (!checks.some((check) => check >= from && check <= i)) return false;
  const program = programs[i];
  return (
    program?.name === 'tee' || (program !== undefined && changesOf({ ...program, writes: [] }).length === 0)
  );
}

/** Programs that pass on their input, or its end, where a failure stands. */
const FILTERS = setOf('tail cat tee less more sed sort uniq cut tr column ts nl');
/** Programs that pass on a part in which a failure need not stand. */
const CUTS = setOf('head grep egrep fgrep rg awk jq wc');

/** The exit code of the verification at `at`: the script's, unless its joints hide it. */
function exitCodeOf(programs: readonly Program[], at: number, { exitCode, output }: Ended): number | null {
  const hidden = hides(programs, at);
  if (hidden === 'no') return exitCode;
  const printed = printedCode(programs, at, output);
  if (printed !== undefined) return printed;
  if (exitCode !== 0 && hidden !== 'yes') return exitCode;
  if (exitCode !== 0 || programs[at]?.silent) return null;
  if (tellsOfFailing(output)) return 1;
  if (hidden === 'filters' || (hidden === 'cuts' && output.trim() === '')) return 0;
  return PASSED.test(withoutEchoes(programs, output)) ? 0 : null;
}

/**
 * Whether the exit code of a script differs from that of its command at `at`, and whether the rest only filters or cuts its
 * output.
 */
function hides(programs: readonly Program[], at: number): 'no' | 'filters' | 'cuts' | 'yes' {
  const { errexit, pipefail } = optionsBefore(programs, at);
  const before = programs.slice(0, at);
  if (programs[at]?.conditional || before.some(({ joint }) => joint === '||')) return 'yes';
  let found: 'no' | 'filters' | 'cuts' = 'no';
  for (let i = at; i < programs.length - 1; i += 1) {
    const next = programs[i + 1];
    switch (programs[i]?.joint) {
      case '&&':
        break;
      case '|':
        if (pipefail) break;
        if (next === undefined || next.silent) return 'yes';
        if (CUTS.has(next.name)) found = 'cuts';
        else if (!FILTERS.has(next.name)) return 'yes';
        else if (found === 'no') found = 'filters';
        break;
      case '||':
        // `npm test || exit 1`
        if (!/^(?:exit|return|false)$/.test(next?.name ?? '') || next?.args[0] === '0') return 'yes';
        break;
      default:
        // `npm test; exit $?`
        if (!errexit && !(next?.name === 'exit' && next.args[0] === '$?')) return 'yes';
    }
  }
  return found;
}

function optionsBefore(programs: readonly Program[], at: number) {
  const given = programs.slice(0, at).flatMap(({ name, args }) => (name === 'set' ? args : []));
  return {
    errexit: given.some((word) => /^-\w*e|^errexit$/.test(word)),
    pipefail: given.includes('pipefail'),
  };
}

const FAILED =
  /(?<![\d.])[1-9]\d* (?:\w+ )?(?:fail(?:ed|ing|ures?)?|errors?|problems?)\b|\bnot ok\b|\bFAIL(?:ED|URE)?\b(?! ?[:=(] ?0\b)|\berror(?:\[\w+\]| TS\d+|:)|\bno tests (?:ran|found)\b|\bRan 0 tests\b|npm ERR!|Traceback|\bpanicked\b|[✗✘×]/;
const NONE_FAILED = /(?<![\d.])(?:0|no|none) (?:\w+ )?(?:FAIL(?:ED|URE)?S?|errors?:?)\b/gi;
const PASSED =
  /(?<![\d.])[1-9]\d* (?:\w+ )?(?:pass(?:ed|ing)|succeeded|ok)\b|\btest result: ok\b|\b(?:BUILD|TEST|ANALYZE) SUCCE(?:SS|EDED)|\b100% tests pass|\bcompiled successfully\b|\bbuilt in \d|^OK\b|^ok\s|\bPASS(?:ED)?\b|\ball (?:\w+ )?(?:tests|checks) pass|\b(?:no|0) (?:\w+ )?(?:issues|errors|problems|failures)\b|\bpass [1-9]/im;

/** Whether the output of a verification reports a failure. */
const tellsOfFailing = (output: string): boolean => FAILED.test(output.replace(NONE_FAILED, ''));
