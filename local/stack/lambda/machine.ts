import { cpus } from 'node:os';

/** Shortest measured interval, in ms. */
const WINDOW_MS = 100;

let measuredAt = Number.NEGATIVE_INFINITY;
let before = { idle: 0, all: 0 };
let share = 0;

/** The share of this machine's cores that was busy lately, from 0 to 1, over all processes. 0 if the system does not report it. */
export function workOfMachine(): number {
  const now = performance.now();
  if (now - measuredAt < WINDOW_MS) return share;
  measuredAt = now;
  const after = timesOfCores();
  const all = after.all - before.all;
  share = all > 0 ? 1 - (after.idle - before.idle) / all : 0;
  before = after;
  return share;
}

/** In ms since the machine's start. */
function timesOfCores(): { idle: number; all: number } {
  const times = cpus().map((core) => core.times);
  const idle = times.reduce((sum, core) => sum + core.idle, 0);
  return { idle, all: times.reduce((sum, { user, nice, sys, irq }) => sum + user + nice + sys + irq, idle) };
}
