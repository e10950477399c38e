import type { FloorSpeed } from './floor.ts';
import type { StackSpeed } from './speed.ts';

/** Prints the stack next to the floor, one row for each figure. Only the ratios are meaningful on another machine. */
export function showSpeed(stack: StackSpeed, floor: FloorSpeed): void {
  row('', 'stack', 'floor', 'ratio', 'goal');
  compare('ms a step, one session', stack.msAStep, floor.msAStep, '≤ 1.5x');
  compare('steps a second, 50 sessions', stack.stepsASecond, floor.stepsASecond, '≥ 0.8x');
  compare('CPU of the step function, warm, ms', stack.warm, floor.cpuAStep, '≤ 1.4x');
  compare('the same with 50 sessions, ms', stack.cpuAStep, floor.cpuAStep, '');
  compare('the same, first 100 invocations, ms', stack.young, floor.cpuAStep, '');
  row('compiling and collecting, first 100', stack.youngBeside.toFixed(1));
  row('compiling and collecting, warm', stack.warmBeside.toFixed(1));
  compare('CPU of everything, 50 sessions, ms', stack.cpuOfAllAStep, floor.cpuOfAllAStep, '');
  row('memory after 50 sessions, MB', stack.memoryMb.toFixed(0), '', '', '≤ 700 MB');
}

/** Prints the time of a step as its session grows. It includes the request to the model: 1.4 MB at step 1,000. */
export function showGrowth([young = 0, ...older]: readonly number[]): void {
  const ages = older.map((ms) => `${ms.toFixed(1)} ms (${(ms / young).toFixed(2)}x)`);
  console.log(`step 10: ${young.toFixed(1)} ms, step 200: ${ages[0]}, step 1,000: ${ages[1]}`);
}

const compare = (what: string, stack: number, floor: number, goal: string): void =>
  row(what, stack.toFixed(1), floor.toFixed(1), `${(stack / floor).toFixed(2)}x`, goal);

const row = (what: string, ...cells: readonly string[]): void =>
  console.log(`${what.padEnd(40)}${cells.map((cell) => cell.padStart(11)).join('')}`);
