/** Mutants of folds and packs (`shared/agent`): what makes a context smaller, and what keeps a step's reads small. */

import { type Mutant, mutant } from './mutant.ts';

const agent = (name: string) => `shared/agent/${name}.ts`;
const keepFold = agent('step/fold/keep-fold');
const fold = agent('step/fold/fold');
const shrinks = agent('step/fold/shrinks');
const summary = agent('step/fold/summary');
const packing = agent('step/open/packing');

export const foldMutants: readonly Mutant[] = [
  mutant(
    'fold: a kept summary is paid for again',
    agent('step/step'),
    '  if (recovered.fold) return (await readFolding()).adoptFold(opened, recovered.fold);\n',
    '',
  ),
  mutant('fold: is committed before it is kept', keepFold, '  await keepSlots(step, [slot]);\n', ''),
  mutant('fold: its summary is not charged', keepFold, '[lost, bought?.call].reduce', '[lost].reduce'),
  mutant(
    'fold: its summary is charged twice',
    keepFold,
    '[lost, bought?.call].reduce',
    '[lost, bought?.call, bought?.call].reduce',
  ),
  mutant(
    'fold: lost calls are not charged',
    keepFold,
    '[lost, bought?.call].reduce',
    '[bought?.call].reduce',
  ),
  mutant('fold: its context begins where it began before', keepFold, '      contextStart: fold.start,\n', ''),
  mutant(
    'fold: HEAD does not name it',
    keepFold,
    '      fold: { slot: n, at: step.io.clock.now(), ...refusalsOf(step.session) },\n',
    '',
  ),
  mutant('fold: is due again and again', keepFold, '      mustFold: undefined,\n', ''),
  mutant(
    'fold: counts as a step of its run',
    keepFold,
    '...withRun(session, { folds: run.folds + 1,',
    '...withRun(session, { steps: run.steps + 1, folds: run.folds + 1,',
  ),
  mutant(
    'fold: takes waiting events with it',
    keepFold,
    'incorporated: [],',
    'incorporated: step.loaded.view.fence.inbox,',
  ),
  mutant('fold: a truncated summary is used', summary, ' || !isWhole(reply)) return', ') return'),
  mutant(
    'fold: a summary that is too long is used',
    summary,
    ' || text.length > chars || !isWhole(reply)',
    ' || !isWhole(reply)',
  ),
  mutant(
    'fold: a full context is sent all the same',
    agent('step/fold/fold-if-full'),
    "  if (sizeOf(asked) > mostOf(step)) return 'size';\n",
    '',
  ),
  mutant(
    'fold: a refusal is not counted',
    agent('step/end/fold-instead'),
    'Math.max(session.mustFold?.refusals ?? 0, session.fold?.refusals ?? 0) + 1;',
    '1;',
  ),
  mutant(
    'fold: the previous head stays',
    agent('context/folded'),
    "one.kind === 'tools' || !one.fold",
    "one.kind === 'tools' || true",
  ),
  mutant(
    'fold: thinking over another context is read',
    agent('context/replied'),
    'reply.fold === fold ? content : unboundOf(content)',
    'content',
  ),
  mutant(
    'fold: a budget is raised, and the context stays',
    shrinks,
    '      mustFold: { why: first.fold, refusals: 0 },\n',
    '',
  ),
  mutant(
    'fold: the raise is forgotten',
    shrinks,
    '      metadata: { guardrails: { ...session.metadata.guardrails, ...Object.fromEntries(slices) } },\n',
    '',
  ),
  mutant(
    'fold: its summary is not reserved',
    summary,
    '  const reserved = await reserveFor(step, request, model);\n',
    "  const reserved = { kind: 'reserved', reservation: undefined } as const;\n",
  ),
  mutant(
    'fold: without budget for its summary the next step asks for it again',
    fold,
    'return unanswered.refused(step, admitted, halt, { events: [notice], lost: bought.lost });',
    "return unanswered.withInputOnly(step, nothingDrained(step), [notice], { kind: 'continue' });",
  ),
];

export const packMutants: readonly Mutant[] = [
  mutant('pack: uncommitted slots too', packing, ' && n < session.version);', ');'),
  mutant('pack: a failed put counts', packing, '() => undefined,', '() => packed,'),
  mutant(
    'pack: one slot too many is announced',
    packing,
    'below: (slots.at(-1) ?? first).n + 1 };',
    'below: (slots.at(-1) ?? first).n + 2 };',
  ),
  mutant(
    'pack: none is read',
    agent('step/open/load'),
    'first < from ? packedSlots',
    'first > from ? packedSlots',
  ),
];
