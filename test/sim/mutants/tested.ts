/**
 * Mutants of places that the simulator does not run, or whose orders of events it does not tell apart: a test kills each.
 */

import { type Mutant, mutant, type Tests } from './mutant.ts';

const unit = (file: string, only?: string): Tests => ({ lane: 'unit', file, ...(only && { only }) });
const aws = (only: string): Tests => ({ lane: 'contract', file: 'aws.test.ts', only });

const by = (tests: Tests, ...mutants: readonly Mutant[]): readonly Mutant[] =>
  mutants.map((one) => ({ ...one, tests }));

const conclude = 'shared/agent/step/end/conclude.ts';
const commit = 'shared/agent/step/end/commit.ts';
const erase = 'shared/agent/entrypoints/erase.ts';
const fork = 'shared/agent/entrypoints/fork.ts';
const call = 'shared/agent/entrypoints/call.ts';
const budgets = 'shared/aws/budgets.ts';
const bodies = 'shared/aws/bodies.ts';
const dynamo = 'shared/aws/dynamo.ts';
const places = 'shared/aws/places.ts';
const patiently = 'shared/aws/patiently.ts';
const queue = 'shared/aws/queue.ts';
const inbox = 'shared/aws/inbox.ts';
const commits = 'shared/aws/commits.ts';
const claims = 'shared/aws/claims.ts';
const fits = 'shared/agent/events/fit-frame.ts';
const known = 'shared/agent/session/known.ts';

export const testedMutants: readonly Mutant[] = [
  ...by(
    unit('step/goals.test.ts'),
    mutant(
      'goals: equal distances go on after their end',
      'shared/agent/schedules/when.ts',
      'return after < until ? Math.min(next, until) : undefined;',
      'return next;',
    ),
    mutant(
      'goals: the last look is left out',
      'shared/agent/schedules/when.ts',
      'return after < until ? Math.min(next, until) : undefined;',
      'return next <= until ? next : undefined;',
    ),
    mutant(
      'goals: a look goes into a session that is at work',
      'shared/agent/entrypoints/schedules/ticks.ts',
      "(reminder && overlap === 'queue')",
      'reminder',
    ),
  ),
  ...by(
    unit('step/asks-of-children.test.ts', 'has its successor tell the root'),
    mutant(
      'asks: a request that a dead owner has stored on its way is not told',
      commit,
      "(before.state === 'running' && waitsForChildren(before))",
      'false',
    ),
  ),
  ...by(
    unit('step/kept-results.test.ts'),
    mutant(
      'answers: the result that another worker has kept since stands',
      'shared/agent/step/batch/facts.ts',
      '...late.found, ...kept]',
      '...kept, ...late.found]',
    ),
  ),
  ...by(
    unit('skills/session.test.ts'),
    mutant(
      'skills: a reply under the committed definition does not name it',
      'shared/agent/step/model/list-tools.ts',
      'step: { ...step, listed: step.session.definition }, admitted',
      'step, admitted',
    ),
  ),
  ...by(
    unit('step/wrap-up.test.ts', 'keeps failing'),
    mutant(
      'a summary is lost when its run is refused',
      'shared/agent/step/end/unanswered.ts',
      '...(summary && { result: { summary } }) };\n  if (input',
      '};\n  if (input',
    ),
  ),
  ...by(
    unit('step/stale-reads.test.ts'),
    mutant(
      'stale inbox next to the claim',
      'shared/agent/step/open/load.ts',
      'current ? inboxBeside : []',
      'hint ? inboxBeside : []',
    ),
  ),
  ...by(
    unit('step/background.test.ts', 'stays out of the definition'),
    mutant(
      'definitions: the lower limits of one step are stored',
      'shared/agent/step/model/keep-definition.ts',
      '{ ...changed, ...own }',
      'changed',
    ),
  ),
  ...by(
    unit('step/wrap-up.test.ts', 'is folded before'),
    // The simulator finds it with one seed in 300,000.
    mutant(
      'wrap-up: a summary before a fold is forgotten',
      conclude,
      'came?.summary ? withRun(session, { summary: came.summary }) : session;',
      'session;',
    ),
  ),
  ...by(
    unit('step/later.test.ts', 'a stalled worker'),
    // It takes two workers with skewed clocks: one seed in 70,000.
    mutant(
      'answers: a settled one is looked up by one step of its batch only',
      'shared/agent/step/batch/awaiting.ts',
      '[...deferred, ...looksAgain]',
      'deferred',
    ),
  ),
  ...by(
    unit('step/withdrawn.test.ts'),
    // The simulator's people all have the same rights.
    mutant(
      'withdrawn: a message that a dead owner has read has no author',
      'shared/agent/step/open/withdrawn.ts',
      '!done && !read.has(id)',
      '!done',
    ),
  ),
  ...by(
    unit('step/wrap-up-below.test.ts', 'cancelled while others work for it'),
    mutant(
      'wrap-up: a child that sums up is stopped at once',
      'shared/agent/step/end/stop-child.ts',
      'if (view && (await isSummingUp(view, now, io)))',
      'if (view && !io.clock)',
    ),
    mutant(
      'wrap-up: a child whose next try is far away may keep its parent’s cancel waiting',
      'shared/agent/step/end/stop-child.ts',
      'dueAt > soon ||',
      'dueAt > soon + soon ||',
    ),
    mutant(
      'wrap-up: a child that waits for people may keep its parent’s cancel waiting',
      'shared/agent/step/end/stop-child.ts',
      '  if (dueAt > soon || batch?.waits.some(({ expiresAt }) => expiresAt > soon)) return false;\n',
      '',
    ),
  ),
  ...by(
    unit('step/send-to.test.ts', 'a message to an agent in the background'),
    mutant(
      'send_to: messages of a reply are read in the order of their hashes',
      'shared/agent/step/batch/send-to-child.ts',
      '-${digits(n)}-${laterId(key, slot, one)}`;',
      '-${laterId(key, slot, one)}`;',
    ),
    mutant(
      'send_to: a message that comes after the end begins a run',
      'shared/agent/step/model/turn.ts',
      "report?.quiet || from === 'parent';",
      "report?.quiet || from === 'retry';",
    ),
  ),
  ...by(
    unit('step/settled.test.ts'),
    mutant('release: over an event', commit, 'seen.inbox.every((id) => incorporated.includes(id))', 'true'),
  ),
  ...by(
    unit('step/children.test.ts'),
    // The parent's next wake would find the answer too, one message later.
    mutant(
      'family: an answer leaves its wait',
      'shared/agent/step/end/answer-parent.ts',
      '  if (view.fence.pending.includes(parent.id)) await io.later.resolve(key, parent.id, io.clock.now());\n',
      '',
    ),
  ),
  ...by(
    unit('step/background.test.ts'),
    // The simulator's people cancel seldom while nothing else goes on.
    mutant(
      'background: a cancel at rest finds nothing to stop',
      'shared/memory/transitions.ts',
      'head.sweepAt === undefined && !head.session.background',
      'head.sweepAt === undefined',
    ),
    mutant(
      'background: a child has all the time it wants',
      'shared/agent/step/open/orphan.ts',
      'until <= clock.now()',
      'until === clock.now()',
    ),
    mutant(
      'background: a deletion leaves children at work',
      'shared/agent/entrypoints/delete.ts',
      '  if (view) await stopBackground(view, now, io);\n',
      '',
    ),
  ),
  ...by(
    unit('core/conclude.test.ts'),
    mutant(
      'wait: a message over a wait that stays open is not seen',
      conclude,
      'still ? pending.some((id) => !still.seen.includes(id)) : morePending;',
      'still ? false : morePending;',
    ),
    mutant(
      'wait: what its step has seen ends it',
      conclude,
      'still ? pending.some((id) => !still.seen.includes(id)) : morePending;',
      'still ? pending.length > 0 : morePending;',
    ),
    mutant(
      'wait: a line that settles nothing ends it',
      conclude,
      'still ? pending.some((id) => !still.seen.includes(id)) : morePending;',
      'morePending;',
    ),
    mutant('wait: a message approves', conclude, 'messageCame && open.every(endsWith);', 'messageCame;'),
  ),
  ...by(
    unit('step/settled.test.ts'),
    mutant(
      'commit: a step that lost its session settles its message',
      commit,
      "      case 'superseded':\n        return 'retry';",
      "      case 'superseded':\n        return 'ack';",
    ),
    mutant(
      'give back: a step that lost its session settles its message',
      commit,
      "if (result.kind === 'superseded') return 'retry';",
      "if (result.kind === 'superseded') return 'ack';",
    ),
  ),
  ...by(
    unit('step/kept-results.test.ts'),
    mutant(
      'batch: the last kept result is not awaited',
      'shared/agent/step/batch/run-calls.ts',
      '  await keeping;\n  return inOrder',
      '  return inOrder',
    ),
    mutant(
      'batch: the next call starts before the last result is kept',
      'shared/agent/step/batch/run-calls.ts',
      'await Promise.allSettled([admitted, keeping]);',
      'await Promise.allSettled([admitted]);',
    ),
  ),
  ...by(
    unit('step/folds-refused.test.ts'),
    mutant(
      'fold: the next fold forgets refusals',
      'shared/agent/step/fold/keep-fold.ts',
      'mustFold?.refusals || fold?.refusals;',
      'mustFold?.refusals;',
    ),
    mutant(
      'fold: refusals are not counted',
      'shared/agent/step/fold/keep-fold.ts',
      'at: step.io.clock.now(), ...refusalsOf(step.session) },',
      'at: step.io.clock.now() },',
    ),
  ),
  ...by(
    unit('step/folds-money.test.ts'),
    mutant(
      'fold: a stopped summary is not charged',
      'shared/agent/step/fold/fold.ts',
      'lost ? charge(step.session, lost) : step.session',
      'step.session',
    ),
    mutant(
      'fold: a stopped summary is not reported',
      'shared/agent/step/fold/fold.ts',
      'const spent = used ? [toUsageEvent(session, runOf(session).steps + 1, used.model, used.call)] : [];\n  return unanswered.withInputOnly',
      'const spent: never[] = used ? [] : [];\n  return unanswered.withInputOnly',
    ),
  ),
  ...by(
    unit('entrypoints/erase.test.ts'),
    mutant('erase: an origin is never released', erase, '  await releaseOrigin(mine, sessions);\n', ''),
    mutant(
      'erase: an origin is released after its fork is erased',
      erase,
      '  await releaseOrigin(mine, sessions);\n  await graves.erase(mine);\n',
      '  await graves.erase(mine);\n  await releaseOrigin(mine, sessions);\n',
    ),
    mutant('erase: limits are not forgotten', erase, '  await limits.forget(mine.key);\n', ''),
    mutant(
      'erase: the tombstone goes at once',
      erase,
      'if (clock.now() < lastAt) {',
      'if (clock.now() < mine.buriedAt) {',
    ),
    mutant(
      'erase: two sweeps erase at once',
      erase,
      "if (!mine) return 'held';",
      'if (!mine) throw new Error();',
    ),
    mutant(
      'erase: has time for ever',
      erase,
      'of groupsOf(page, AT_ONCE)) {\n      if (io.clock.now() >= deadlineAt) break;\n',
      'of groupsOf(page, AT_ONCE)) {\n',
    ),
  ),
  ...by(
    unit('branches/earlier-forks.test.ts'),
    mutant('fork: an earlier one has the tasks of now', fork, '...(isWhole && tasks && {', '...(tasks && {'),
    mutant('fork: an earlier one has the nudges of now', fork, '...(isWhole && { nudges,', '...({ nudges,'),
    mutant(
      'fork: finds only a near fold',
      fork,
      'for (let end = below; end > 0; end -= WINDOW)',
      'for (let end = below; end === below; end -= WINDOW)',
    ),
    mutant(
      'fork: skips slots on its way back',
      fork,
      'for (let end = below; end > 0; end -= WINDOW)',
      'for (let end = below; end > 0; end -= 2 * WINDOW)',
    ),
    mutant('fork: takes the first fold of a page', fork, '.findLast(isFold);', '.find(isFold);'),
    mutant(
      'fork: its fold is still cooling',
      fork,
      'last: { slot: slot.n, at: 0 }, start',
      'last: { slot: slot.n, at: Date.now() }, start',
    ),
    mutant('fork: must not fold', fork, '...defined({ mustFold }) }),', '}),'),
    mutant('fork: has all state of guards', fork, '{ guardrails: { [TASKS]: tasks } }', 'metadata'),
  ),
  ...by(
    unit('step/queued-starts.test.ts'),
    mutant(
      'call: a start stands an hour too long',
      call,
      'limitMsOf(tool, limits) + TO_KEEP_RESULT_MS)',
      'limitMsOf(tool, limits) + TO_KEEP_RESULT_MS + 3_600_000)',
    ),
    mutant('call: a start outlives its worker', call, 'until: Math.min(until, deadlineAt),', 'until,'),
    mutant(
      'call: a running call is not hidden',
      call,
      'await Promise.all([done, hide(start.until)])',
      'await Promise.all([done])',
    ),
    mutant('call: another one that runs is not hidden', call, '      await hide(begun.until);\n', ''),
    mutant('call: is hidden exactly as long as it runs', call, 'until - now + AFTER_MS', 'until - now'),
    mutant(
      'call: is not hidden before it begins',
      call,
      'await Promise.all([findCall(message, io), io.queue.hide(invocation.message, TO_BEGIN_MS)])',
      'await Promise.all([findCall(message, io)])',
    ),
  ),
  ...by(
    unit('aws/bodies.test.ts'),
    mutant(
      'bodies: a blob is not awaited',
      bodies,
      '      await blobs.put(blob, body);',
      '      void blobs.put(blob, body);',
    ),
    mutant(
      'bodies: counts characters',
      bodies,
      'Buffer.byteLength(body) <= MAX_BODY_BYTES',
      'body.length <= MAX_BODY_BYTES',
    ),
    mutant(
      'bodies: one byte too few',
      bodies,
      'Buffer.byteLength(body) <= MAX_BODY_BYTES',
      'Buffer.byteLength(body) < MAX_BODY_BYTES',
    ),
  ),
  ...by(
    unit('aws/dynamo.test.ts'),
    mutant(
      'table: unprocessed keys are dropped',
      dynamo,
      'Keys = UnprocessedKeys?.[table]?.Keys ?? [];',
      'Keys = UnprocessedKeys?.[table] ? [] : [];',
    ),
    mutant(
      'table: processed keys are asked for again',
      dynamo,
      'Keys = UnprocessedKeys?.[table]?.Keys ?? [];',
      'Keys = UnprocessedKeys?.[table] ? Keys : [];',
    ),
    mutant(
      'table: asks for unprocessed keys once more only',
      dynamo,
      'const BATCH_ROUNDS = 5;',
      'const BATCH_ROUNDS = 2;',
    ),
  ),
  ...by(
    aws('items of a budget'),
    mutant(
      'budget: an attempt takes its amount twice',
      budgets,
      '#holds.#session.#epoch < :epoch',
      '#holds.#session.#epoch <= :epoch',
    ),
    mutant(
      'budget: an older attempt takes its amount',
      budgets,
      '#holds.#session.#epoch < :epoch',
      '#holds.#session.#epoch <> :epoch',
    ),
    mutant('budget: takes more than is left', budgets, 'when: [...enough, isFirst],', 'when: [isFirst],'),
    mutant(
      'budget: another attempt settles',
      budgets,
      "const isHeld = '#holds.#session.#epoch = :epoch';",
      "const isHeld = 'attribute_exists(#holds.#session)';",
    ),
    mutant('budget: is settled and still held', budgets, "        remove: ['#holds.#session'],\n", ''),
    mutant('budget: the root is written over any', budgets, '[first ? isNew : standsAsSeen]', '[]'),
  ),
  ...by(
    { lane: 'contract', file: 'aws-streams.test.ts' },
    mutant(
      'places: a second refusal is not tried again',
      places,
      'while (left.length > 0) {',
      'for (let tries = 0; tries < 2 && left.length > 0; tries++) {',
    ),
    mutant(
      'places: frees one that was taken again',
      places,
      'when: held.map((_, i) =>',
      'when: [].map((_, i) =>',
    ),
    mutant(
      'places: no limit',
      places,
      "const hasRoom = 'size(#places) < :max';",
      "const hasRoom = ':max > size(#x) OR attribute_exists(#places)'.replace('#x', '#places');",
    ),
  ),
  ...by(
    unit('aws/patiently.test.ts'),
    mutant('s3: failures are repeated at once', patiently, '    await waiting.sleep(pauseMs);\n', ''),
    mutant('s3: pauses do not grow', patiently, 'base * 2 ** (attempt - 1)', 'base'),
    mutant('s3: pauses are equal', patiently, '(0.5 + random / 2)', '(0.5 + (random > 2 ? 1 : 0.25))'),
    mutant('s3: pauses beyond its time', patiently, ' || pauseMs + WORTH_TRYING_MS > waiting.msLeft()', ''),
    mutant('s3: too many requests is an answer', patiently, 'status < 500 && status !== 429', 'status < 500'),
    mutant(
      's3: a slow down is a failure like others',
      patiently,
      'status === 503 || status === 429 ?',
      'status === 429 ?',
    ),
  ),
  ...by(
    unit('aws/queue.test.ts'),
    mutant('queue: bills characters', queue, 'Buffer.byteLength(body) +', 'body.length +'),
    mutant('queue: bills no slots', queue, '(brought ? Buffer', '(!brought ? Buffer'),
  ),
  ...by(
    aws('inbox|replay'),
    mutant(
      'commit: knows nothing that was marked',
      commits,
      "...(known ? ['#known = :known', '#knownAt = :knownAt'] : []),",
      '...(known ? [] : []),',
    ),
    mutant('inbox: a late copy of an event that is known', inbox, ", 'NOT contains(#known, :id)'];", '];'),
    mutant('inbox: a copy of a consumed event', inbox, "['NOT contains(#consumed, :id)', ", '['),
    mutant('inbox: a full one takes more', inbox, 'OR size(#inbox) < :max))', 'OR size(#inbox) > :zero))'),
  ),
  ...by(
    aws('commit'),
    mutant(
      'commit: over a cancel',
      commits,
      'when: [...isStillOwnedBy, notCancelled,',
      'when: [...isStillOwnedBy,',
    ),
    mutant('commit: over an unseen event', commits, '...(mustHaveSeenAll ? [nothingUnseen] : [])', '...[]'),
  ),
  ...by(
    aws('claim'),
    mutant('claim: of a leased session', claims, 'when: [isDue, nobodyHoldsIt],', 'when: [isDue],'),
    mutant('claim: before it is due', claims, 'when: [isDue, nobodyHoldsIt],', 'when: [nobodyHoldsIt],'),
    mutant(
      'claim: a lost answer is another owner',
      claims,
      "  if (head.owner === me) return { kind: 'claimed', view: toView(head) };\n",
      '',
    ),
  ),
  ...by(
    unit('core/coalesce.test.ts'),
    mutant('frames: too large for a message', fits, 'if (fits(whole)) return whole;', 'return whole;'),
    mutant(
      'frames: a part of a conversation',
      fits,
      "if (frame.event.type !== 'MESSAGES_SNAPSHOT')",
      'if (true)',
    ),
    mutant('frames: a part of a checked answer', fits, "  if (key === 'object') return value;\n", ''),
    mutant('frames: fewer questions', fits, "key === 'interrupts' ?", "key === 'never' ?"),
    mutant(
      'frames: half a character',
      fits,
      'value.slice(0, how.chars).toWellFormed()',
      'value.slice(0, how.chars)',
    ),
  ),
  ...by(
    unit('step/known.test.ts'),
    mutant('known: for ever', known, 'now - known.at < LATE_MS', 'true'),
    mutant('known: without an end', known, '.slice(-MOST_KNOWN)', ''),
    mutant(
      'known: what is not marked',
      known,
      'consumed.filter((id) => !unmarked.includes(id))',
      '[...consumed]',
    ),
  ),
];
