/** The log of the functions and the stack: a file for all of it, and the last lines for when something fails. */

import { createWriteStream } from 'node:fs';

export interface Log {
  /** The file; undefined if nothing is kept. */
  readonly file?: string;
  write(line: string): void;
  /** The last lines. */
  tail(): readonly string[];
  stop(): Promise<void>;
}

const kept = 30;

export function openLog(file: string | undefined): Log {
  const last: string[] = [];
  const stream = file === undefined ? undefined : createWriteStream(file, { flags: 'a', mode: 0o600 });
  // A full disk, or a path that is a folder: the run does not depend on the log.
  stream?.on('error', (error) => console.error(`${file} is not written to: ${error.message}`));
  return {
    ...(file !== undefined && { file }),
    write(line) {
      stream?.write(`${new Date().toISOString()} ${line}\n`);
      last.push(line);
      if (last.length > kept) last.shift();
    },
    tail: () => last,
    stop: () => new Promise((resolve) => (stream ? stream.end(() => resolve()) : resolve())),
  };
}
