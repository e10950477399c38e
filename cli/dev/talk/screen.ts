/** The terminal of `steploop dev`: output, and the input line below it. */

import { clearLine, cursorTo, type Interface } from 'node:readline';

export interface Screen {
  /** Writes text as it comes. The input line makes room, and returns after a complete line. */
  readonly write: (text: string) => void;
  readonly say: (text?: string) => void;
  /** Sets the current input line; undefined for none. */
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
