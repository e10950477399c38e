/**
 * Follows JSON as it streams, to tell whether the text so far is a whole object or list. The work is proportional to
 * the text.
 */
export interface JsonEnd {
  take(text: string): void;
  /** Whether only white space has come. */
  isBlank(): boolean;
  /** Whether an object or a list has begun, and every string, list and object in it has ended. */
  isWhole(): boolean;
  /** Whether a string, a list or an object has begun that has not ended. */
  isOpen(): boolean;
}

export function jsonEnd(): JsonEnd {
  let depth = 0;
  let begun = false;
  let blank = true;
  let inString = false;
  let escaped = false;
  const takeChar = (char: string) => {
    if (inString) {
      if (escaped) escaped = false;
      else if (char === '\\') escaped = true;
      else if (char === '"') inString = false;
      return;
    }
    if (char.trim() !== '') blank = false;
    if (char === '"') inString = true;
    else if (char === '{' || char === '[') {
      depth++;
      begun = true;
    } else if (char === '}' || char === ']') depth--;
  };
  return {
    take(text) {
      for (const char of text) takeChar(char);
    },
    isBlank: () => blank,
    isWhole: () => begun && depth <= 0 && !inString,
    isOpen: () => inString || depth > 0,
  };
}
