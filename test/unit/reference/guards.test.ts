import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { defineAgent } from '../../../shared/agent/define/agent.ts';
import { answerGuard } from '../../../shared/agent/guardrails/answers/answer.ts';
import { builtInGuards } from '../../../shared/agent/guardrails/built-in.ts';
import { forPeople } from '../../../shared/agent/guardrails/for-people.ts';
import { gatesOf } from '../../../shared/agent/guardrails/proof/gates.ts';
import { tasks } from '../../../tools/tasks.ts';
import { type Member, membersOf } from '../../support/reference/interfaces.ts';
import { table } from '../../support/reference/table.ts';

const source = readFileSync(
  new URL('../../../shared/agent/guardrails/guard-codes.ts', import.meta.url),
  'utf8',
);
const guards = membersOf(source, 'Said');
const ofAny = membersOf(source, 'SaidOfAny');
const config = readFileSync(new URL('../../../docs/reference/config.md', import.meta.url), 'utf8');

/** The `action` of `steploop.guard` follows from the kind; a flag has none. */
const actionOf = (type: string): string => type.replaceAll(/'(\w+)'/g, '`$1`').replaceAll(' | ', ', ');

/** A key as a definition has it. */
const shownKey = (key: string): string => `\`${key.startsWith('limits.') ? key : `guardrails.${key}`}\``;

const verdicts = [
  [
    '`halt`',
    'ends the run, unless it recovers',
    '`steploop.guard`; `steploop.ended` has the guard and its code',
  ],
  ['`block`', 'refuses one call; its result says why', '`steploop.guard`'],
  ['`skip_calls`', 'drops the calls of a reply', '`steploop.guard`'],
  ['`text_only`', 'lets the model speak and nothing more', '`steploop.guard`'],
  ['`warn`', 'tells people; some stand on the result of the call too', '`steploop.guard`'],
  [
    '`nudge`',
    'tells the model',
    '`steploop.guard`; nothing when it repeats itself, or when the model was not told',
  ],
  ['`allow`', 'says that a rule is off', '`steploop.guard`'],
  ['`flag`', 'accepts an answer', 'no `steploop.guard`; `steploop.ended` has the guard and its code'],
];

const codesOf = (members: readonly Member[]): string =>
  table(
    ['code', 'verdict', 'what it says'],
    members.map((code) => [`\`${code.name}\``, actionOf(code.type), code.doc]),
  );

const page = () => `# Guards

Written by \`test/unit/reference/guards.test.ts\` from \`Said\` in \`shared/agent/guardrails/guard-codes.ts\`, which guards can say nothing beside;
the test fails when they differ (\`vitest run --project unit test/unit/reference -u\` writes it anew). How guards work:
[guards.md](../guards.md). Their keys: [config.md](config.md).

A guard is named so in \`steploop.guard\` events (\`guard\`), in the journal of a step, and in \`GET /sessions/{id}\` (\`guardrails\`).

${table(['verdict', 'what it does', 'what clients get'], verdicts)}

## Of any guard

${codesOf(ofAny)}

${guards
  .map(
    ({ name, doc, config: keys, members }) =>
      `## ${name}\n\n${doc}${keys ? ` Keys: ${keys.split(', ').map(shownKey).join(', ')}.` : ' It has no key.'}${members.length === 0 ? '' : `\n\n${codesOf(members)}`}`,
  )
  .join('\n\n')}
`;

test('docs/reference/guards.md lists the verdicts of guards', async () => {
  await expect(page()).toMatchFileSnapshot('../../../docs/reference/guards.md');
});

test('every guard of the pipeline is listed', () => {
  const { limits, guardrails } = defineAgent({ name: 'a', version: '1', model: { name: 'm' }, system: 's' });
  const running = [
    ...builtInGuards({ limits, guardrails, price: undefined, fallbacks: [] }),
    // These are documented with their subject, for agents that have it.
    answerGuard(guardrails.answer),
    ...gatesOf([tasks, { name: 'c', effect: 'read', evidence: { compiles: true } }], {
      guardrails: { ...guardrails, verify: { ...guardrails.verify, command: 'c' } },
      limits,
    }),
  ];
  expect(guards.map(({ name }) => name).toSorted()).toEqual(running.map(({ name }) => name).toSorted());
});

test('every guard and code has a description', () => {
  const silent = guards.flatMap((guard) => [guard, ...guard.members]).filter(({ doc }) => doc === '');
  expect(silent.map(({ name }) => name)).toEqual([]);
});

test('the keys that configure guards exist', () => {
  const keys = guards.flatMap(({ config: said }) => said?.split(', ') ?? []);
  expect(keys.length).toBeGreaterThan(20);
  expect(
    keys.filter((key) => !new RegExp(`^\\| \`${key.replace(/^limits\./, '')}[.\`]`, 'm').test(config)),
  ).toEqual([]);
});

/** Their verdicts have a sentence of their own. */
const ownWords = new Set(['loop_pattern', 'max_tokens', 'silent_after_cut', 'resilience_failed']);

test('every nudge and flag has its own sentence for people', () => {
  const said = guards.flatMap(({ name: guard, members }) =>
    members.flatMap(({ name: code, type }) =>
      /nudge|flag/.test(type) && !ownWords.has(code)
        ? [
            forPeople({
              guard,
              code,
              kind: type.includes('flag') ? 'flag' : 'nudge',
              message: undefined,
              metadata: { tool: 't', count: 2 },
            }),
          ]
        : [],
    ),
  );
  expect(said.length).toBeGreaterThan(20);
  expect(said.filter((text) => /^The guard \w+ has /.test(text))).toEqual([]);
});
