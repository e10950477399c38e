import { oneLine } from '../../local/amounts.ts';
import { printable } from '../../local/printable.ts';
import type { Recorded } from './recorded.ts';

/** The file of a recorded case, which people then edit. Pure. */
export function sourceOf(recorded: Recorded, name: string): string {
  const { user, script, results, decisions, ending, answer, isBad, agent, sessionId } = recorded;
  // The calls that led to a bad answer are not expected again.
  const trajectory = isBad ? [] : recorded.trajectory;
  const replies = script.map(replyOf);
  const helpers = ['calls', 'says', 'saysAndCalls'].filter((helper) =>
    replies.some((reply) => reply.startsWith(`${helper}(`)),
  );
  const expected = [
    ...(ending
      ? [`ends(${[ending.state, ending.reason].flatMap((one) => (one ? [quoted(one)] : [])).join(', ')})`]
      : []),
    ...(trajectory.length > 0
      ? [
          `trajectory(${json(
            trajectory.map((call) => [call.name, call.input]),
            8,
          )})`,
        ]
      : []),
    ...(answer === undefined ? [] : [isBad ? betterThan(answer) : judgeOf(answer)]),
    ...(trajectory.length === 0 && !ending
      ? ["scorer('says something', ({ answer = '' }) => answer !== '')"]
      : []),
  ];
  const used = ['ends', 'judge', 'scorer', 'trajectory'].filter((scorer) =>
    expected.some((one) => one.startsWith(`${scorer}(`)),
  );
  const imports = ['defineEval', ...used, ...(results.length > 0 ? ['replays'] : [])].sort();
  const keys = [
    `name: ${quoted(oneLine(printable(user[0] ?? 'says nothing'), 80))},`,
    `user: ${json(user.length === 1 ? user[0] : user, 6)},`,
    ...(results.length > 0 ? [`// The tools' results.\n      tools: replays(${json(results, 6)}),`] : []),
    ...(Object.keys(decisions).length > 0
      ? [
          `// The user's decisions, by tool.\n      decides: ({ tool }) => new Map<string, boolean | string>(${json(Object.entries(decisions), 6)}).get(tool),`,
        ]
      : []),
    ...(replies.length > 0
      ? [
          `// The model's replies, used if no real model is called.\n      script: [\n        ${replies.join(',\n        ')},\n      ],`,
        ]
      : []),
    `// ${isBad ? 'The recorded answer was rated as bad. Write what should have happened' : 'Expected of any model. Add what the answer must contain'}: contains('…').\n      expect: [\n        ${expected.join(',\n        ')},\n      ],`,
  ];
  return `import { ${imports.join(', ')} } from 'steploop/evals';
${helpers.length > 0 ? `import { ${helpers.join(', ')} } from 'steploop/testing';\n` : ''}
/** Recorded from the session ${JSON.stringify(sessionId).slice(1, -1).replaceAll('*/', '')}. */
export default defineEval({
  name: ${quoted(name)},
  agent: ${quoted(agent)},
  cases: [
    {
      ${keys.join('\n      ')}
    },
  ],
});
`;
}

function replyOf({ text, calls }: Recorded['script'][number]): string {
  const made = calls.map(({ name, input }) => json([name, input], 8)).join(', ');
  if (calls.length === 0) return `says(${quoted(text)})`;
  return text === '' ? `calls(${made})` : `saysAndCalls(${quoted(text)}, ${made})`;
}

const judgeOf = (answer: string): string =>
  `judge({ asks: ${quoted(`Does the answer tell people the same as this one, whatever its words?\n\n${answer}`)} })`;

const betterThan = (answer: string): string =>
  `judge({ asks: ${quoted(`A person has rated this answer as bad. Is the new one better: right, complete, and what they asked for?\n\n${answer}`)} })`;

const quoted = (text: string): string => JSON.stringify(text);

/** Columns of a line. */
const WIDTH = 110;

/** A value as source code, on one line if it fits. */
function json(value: unknown, indent: number): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((one) => json(one, indent + 2))
    : Object.entries(value).map(([key, one]) => `${keyOf(key)}: ${json(one, indent + 2)}`);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  const line = isList || parts.length === 0 ? parts.join(', ') : ` ${parts.join(', ')} `;
  if (!line.includes('\n') && indent + line.length < WIDTH) return `${open}${line}${close}`;
  const pad = ' '.repeat(indent + 2);
  return `${open}\n${parts.map((part) => `${pad}${part},\n`).join('')}${' '.repeat(indent)}${close}`;
}

/** A bare `__proto__` key would set the object's prototype. */
const keyOf = (key: string): string =>
  key === '__proto__' ? `[${quoted(key)}]` : /^[a-z_$][\w$]*$/i.test(key) ? key : quoted(key);
