/** Mutants of the tenants' budgets: invariant 12 kills them. */

import { type Mutant, mutant } from './mutant.ts';

const escrow = 'shared/agent/budgets/escrow.ts';
const reserve = 'shared/agent/budgets/reserve.ts';
const purchase = 'shared/agent/step/model/purchase.ts';
const modelCall = 'shared/agent/step/model/model-call.ts';
const transitions = 'shared/memory/budget-transitions.ts';

export const budgetMutants: readonly Mutant[] = [
  mutant('budget: a shard gives more than it has', transitions, 'if (enough && isFirst) {', 'if (isFirst) {'),
  mutant('budget: an attempt reserves twice', transitions, 'before.epoch < epoch;', 'before.epoch <= epoch;'),
  mutant(
    'budget: settled twice, given back twice',
    transitions,
    'if (own(holds, sessionId)?.epoch !== epoch) return { answer: undefined };',
    '',
  ),
  mutant('budget: a grant is received twice', transitions, 'if (!accountsStand || !enough)', 'if (!enough)'),
  mutant(
    'budget: reserved amounts are given back',
    transitions,
    'if (!accountsStand || !enough)',
    'if (!accountsStand)',
  ),
  mutant(
    'budget: the root is overwritten',
    'shared/memory/budgets.ts',
    '      if (root.rev !== next.rev - 1) return copy(root);\n',
    '',
  ),
  mutant('budget: the root grants more than is free', escrow, 'limits[d] - out[d]', 'limits[d]'),
  mutant(
    'budget: amounts left in other shards are not gathered',
    reserve,
    'const spare = t === n || told ? nothing : spareOf(shard, wanted);',
    'const spare = nothing;',
  ),
  {
    name: 'budget: reserved after the call',
    edits: [
      {
        file: modelCall,
        find: "  const reserved = await reserveFor(step, request, model);\n  if (reserved.kind === 'exceeded') return { kind: 'exceeded', over: reserved, ...lost };\n",
        replace: '',
      },
      {
        file: modelCall,
        find: '  await settleWith(step, reserved.reservation, outcome, spoke, model);\n',
        replace:
          "  const reserved = await reserveFor(step, request, model);\n  if (reserved.kind !== 'exceeded') await settleWith(step, reserved.reservation, outcome, spoke, model);\n",
      },
    ],
  },
  mutant(
    'budget: a broken stream costs nothing',
    purchase,
    'return spoke || outcome.used ? undefined : nothing;',
    'return nothing;',
  ),
  mutant(
    'budget: a truncated reply costs what it says',
    purchase,
    "return outcome.reply.stop === 'interrupted'\n    ? undefined\n    : boughtBy",
    'return boughtBy',
  ),
];
