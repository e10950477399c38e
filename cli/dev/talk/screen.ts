/** The terminal of `steploop dev`: what is said, and the line that is being typed under it. */

import { clearLine, cursorTo, type Interface } from 'node:readline';

export interface Screen {
  /** Writes text as it comes; a line that is being typed makes room, and comes back after a whole one. */
  readonly write: (text: string) => void;
  readonly say: (text?: string) => void;
  /** The line that is typed from now on; undefined while there is none. */
  readonly typing: (line: Interface | undefined) => void;
}

export function openScreen(out: NodeJS.WriteStream): Screen {
  let line: Interface | undefined;
  const write = (text: string): void => {
    const isTyped = line !== undefined && out.isTTY;
    if (isTyped) {
      cursorTo(out, 0);
      clearLine(out, 0);
    }
    out.write(text);
    if (isTyped && text.endsWith('\n')) line?.prompt(true);
  };
  return {
    write,
    say: (text = '') => write(`${text}\n`),
    typing(next) {
      line = next;
      line?.prompt(true);
    },
  };
}
