/** Figures of processes from Linux's `/proc`: CPU in ms, memory in MB. On other systems these reject. */

import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks; Linux fixes them at 100 a second for programs. */
const MS_PER_TICK = 10;

/** CPU of a process and its threads. */
export const cpuOf = (pid: number): number => ticksIn(statOf(`/proc/${pid}/stat`)) * MS_PER_TICK;

/** CPU by the threads' names, of which Linux keeps 15 characters; `main` is the first one. Threads that have ended are not included. */
export function cpuByThread(pid: number): Map<string, number> {
  const cpu = new Map<string, number>();
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const stat = statOf(`/proc/${pid}/task/${thread}/stat`);
    const name = thread === String(pid) ? 'main' : stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    cpu.set(name, (cpu.get(name) ?? 0) + ticksIn(stat) * MS_PER_TICK);
  }
  return cpu;
}

/** Memory that is a process's own, and not a file's. */
export function anonymousMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/RssAnon:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024;
}

/** Empty for a thread that ended after it was listed. */
function statOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return '';
    if (path.includes('/task/')) return '';
    throw error;
  }
}

/** In user and kernel mode. */
function ticksIn(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
}
