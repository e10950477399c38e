/** The history, newest last: a hash of all of it, and the last lines for reading. */
export interface Trace {
  /** Adds a line. `facts` are printed after it; only strings and numbers, so that they cannot change later. */
  say(who: string, what: string, ...facts: readonly (string | number | undefined)[]): void;
  /** A hash of every line so far: equal for equal histories. */
  hash(): string;
  lines(): string[];
}

type Line = readonly [at: number, who: string, what: string, facts: readonly (string | number | undefined)[]];

const KEPT = Number(process.env.SIM_TRACE_LINES ?? 64);

export function createTrace(now: () => number): Trace {
  const start = now();
  const kept: Line[] = [];
  let count = 0;
  let a = 0x811c9dc5;
  let b = 0x1b873593;

  const mix = (text: string) => {
    for (let i = 0; i < text.length; i++) a = Math.imul(a ^ text.charCodeAt(i), 0x01000193);
  };

  return {
    say(who, what, ...facts) {
      const at = now() - start;
      mix(who);
      mix(what);
      for (const fact of facts) mix(String(fact));
      a = Math.imul(a ^ at, 0x01000193);
      b = (Math.imul(b ^ (a >>> 15), 0x85ebca6b) + at) | 0;
      kept[count++ % KEPT] = [at, who, what, facts];
    },
    hash: () => (a >>> 0).toString(16).padStart(8, '0') + (b >>> 0).toString(16).padStart(8, '0'),
    lines() {
      const from = Math.max(0, count - KEPT);
      return Array.from({ length: count - from }, (_, i) => kept[(from + i) % KEPT])
        .filter((line) => line !== undefined)
        .map(([at, who, what, facts]) => {
          const time = (at / 1000).toFixed(3).padStart(11);
          const rest = facts.filter((fact) => fact !== undefined && fact !== '');
          return `${time} ${who.padEnd(9)} ${what.padEnd(24)} ${rest.join(' ')}`.trimEnd();
        });
    },
  };
}
