import type { Program } from './programs.ts';

const LAST_CODE = /\$(?:\?|\{\?\})/;
const FIRST_CODE = /\$\{PIPESTATUS\[0\]\}/;

/**
 * The exit code that a script prints of its command at `at`, right after it: `npm test | tail; echo "exit: ${PIPESTATUS[0]}"`.
 * Undefined if it prints none, or if other lines could be the one.
 */
export function printedCode(programs: readonly Program[], at: number, output: string): number | undefined {
  let end = at;
  while (programs[end]?.joint === '|') end += 1;
  const echo = programs[end + 1];
  if (programs[end]?.joint !== ';' || echo?.name !== 'echo' || echo.silent || echo.conditional)
    return undefined;
  if (programs[at]?.conditional || programs.slice(0, at).some(({ joint }) => joint === '||'))
    return undefined;
  const text = textOf(echo);
  const found = FIRST_CODE.exec(text) ?? (end === at ? LAST_CODE.exec(text) : null);
  if (!found || programs[at - 1]?.joint === '|') return undefined;
  const [before, after] = [text.slice(0, found.index), text.slice(found.index + found[0].length)];
  const line = new RegExp(`^${literally(before)}(\\d{1,3})${literally(after)}\\s*$`, 'gm');
  const codes = [...output.matchAll(line)].map(([, code]) => Number(code));
  const isLast = end + 1 === programs.length - 1;
  return isLast || new Set(codes).size === 1 ? codes.at(-1) : undefined;
}

/** An output without the lines that the script itself prints whatever came before: `npm test; echo ok`. */
export function withoutEchoes(programs: readonly Program[], output: string): string {
  const echoed = new Set(
    programs
      .filter((program, i) => program.name === 'echo' && isReachedAnyhow(programs, i))
      .flatMap((program) => textOf(program).split('\n'))
      .map((line) => line.trim()),
  );
  return output
    .split('\n')
    .filter((line) => !echoed.has(line.trim()))
    .join('\n');
}

const isReachedAnyhow = (programs: readonly Program[], at: number): boolean =>
  !programs[at]?.conditional && !/^(?:&&|\|\|)$/.test(programs[at - 1]?.joint ?? '');

const literally = (text: string): string => text.replace(/[^\w\s]/g, '\\$&');

const textOf = ({ args }: Program): string =>
  args.slice(args.findIndex((word) => !/^-[neE]+$/.test(word))).join(' ');
