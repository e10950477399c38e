import { createInterface } from 'node:readline/promises';

/** Deletion is final, so a person at a terminal must type the name again. False without a terminal. */
export async function isMeant(name: string, question: string): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await asking.question(question)).trim() === name;
  } finally {
    asking.close();
  }
}
