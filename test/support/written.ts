import { vi } from 'vitest';

type Line = Record<string, unknown>;

/** The lines that `run` writes to standard output, which must all be JSON. */
export function written(run: () => void): Line[] {
  const { lines, restore } = listen();
  try {
    run();
  } finally {
    restore();
  }
  return lines.map(parse);
}

/** Like {@link written}, for asynchronous code. */
export async function writtenBy(run: () => Promise<unknown>): Promise<Line[]> {
  const { lines, restore } = listen();
  await run().finally(restore);
  return lines.map(parse);
}

function listen() {
  const lines: string[] = [];
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  return { lines, restore: () => spy.mockRestore() };
}

function parse(line: string): Line {
  if (!/^[^\n]+\n$/.test(line)) throw new Error(`not one line: ${line}`);
  return JSON.parse(line);
}
