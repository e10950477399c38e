/** Mutants of the step: what is done in which order, and what is concluded from an answer (`shared/agent`). */

import { type Mutant, mutant } from './mutant.ts';

const agent = (name: string) => `shared/agent/${name}.ts`;
const commit = agent('step/end/commit');
const step = agent('step/step');
const recovered = agent('step/open/recovered');
const openStep = agent('step/open/open-step');
const admitGroup = agent('step/batch/admit-group');
const runCalls = agent('step/batch/run-calls');
const runTools = agent('step/batch/run-tools');
const outcomes = agent('step/end/outcomes');
const listTools = agent('step/model/list-tools');
const stream = agent('events/stream');
const lease = agent('step/open/lease');

export const coreMutants: readonly Mutant[] = [
  mutant(
    'a kept reply is recovered without the tools that it was asked with',
    listTools,
    'if (kept?.definition) return under(step, admitted, await recovered(step, kept.definition));',
    '',
  ),
  mutant(
    'a reply is kept without the definition that it was asked under',
    outcomes,
    '    ...(step.listed && { definition: step.listed }),\n',
    '',
  ),
  mutant(
    'what was listed is not stored',
    listTools,
    '  await io.sessions.putDefinition(loaded.key.tenant, definition, pinned);\n',
    '',
  ),
  mutant(
    'ack when leased by this message',
    commit,
    "case 'leased_by_this_message':\n      return 'retry';",
    "case 'leased_by_this_message':\n      return 'ack';",
  ),
  mutant(
    'ack when fenced out of the commit',
    commit,
    "case 'superseded':\n        return 'retry';",
    "case 'superseded':\n        return 'ack';",
  ),
  mutant(
    'ack when superseded',
    step,
    "step.stream.abandon();\n    return 'retry';",
    "step.stream.abandon();\n    return 'ack';",
  ),
  mutant(
    'early: no wake in its place',
    commit,
    '      await send(wake, claim.dueAt - io.clock.now(), io);\n',
    '',
  ),
  mutant(
    'early: at once again',
    commit,
    'await send(wake, claim.dueAt - io.clock.now(), io);',
    'await send(wake, 0, io);',
  ),
  mutant('the rest of a second is not waited for', commit, '  if (rest > 0) await clock.sleep(rest);\n', ''),
  mutant('rest: the end is not told again', commit, '      await tellAgain(claim.view, io);\n', ''),
  mutant(
    'no next wake',
    commit,
    '          sendNext(session, next, now, io, wakeAfter(step, session)),\n',
    '',
  ),
  mutant('no delivery with the commit', commit, '          tellOutside(session, io),\n', ''),
  mutant('rest: no delivery again', commit, '      await tellOutside(claim.view.session, io);\n', ''),
  {
    name: 'the wake is sent before the commit',
    edits: [
      {
        file: commit,
        find: '          sendNext(session, next, now, io, wakeAfter(step, session)),\n',
        replace: '',
      },
      {
        file: commit,
        find: '    const { next, waits } = concluded;\n',
        replace:
          '    const { next, waits } = concluded;\n    await sendNext(session, next, now, io, wakeAfter(step, session));\n',
      },
    ],
  },
  mutant(
    'the end is told before the commit',
    commit,
    '    const { next, waits } = concluded;\n',
    '    const { next, waits } = concluded;\n    await stream.deliver(tail, view.fence.subscribers);\n',
  ),
  mutant('no second decision', commit, 'fence = result.fence;\n        break;', "return 'retry';"),
  mutant(
    'the second decision sees nothing new',
    commit,
    'fence = result.fence;\n        break;',
    'fence = { ...fence, cancelGen: result.fence.cancelGen, inboxSeq: result.fence.inboxSeq };\n        break;',
  ),
  mutant('release: over an event', commit, 'seen.inbox.every((id) => incorporated.includes(id))', 'true'),
  mutant(
    'a cancel is not seen at the end',
    agent('step/end/conclude'),
    'fence.cancelGen > session.cancelSeen &&',
    'false &&',
  ),
  mutant(
    'an end rests over an event',
    agent('step/end/conclude'),
    "next: morePending ? { kind: 'run', dueAt: now } : { kind: 'rest' },",
    "next: { kind: 'rest' },",
  ),
  mutant(
    'stale reads beside the claim',
    agent('step/open/load'),
    'current ? tailBeside(wake, view, slotsBeside) : undefined',
    'tailBeside(wake, view, slotsBeside)',
  ),
  mutant(
    'a wake brings what its sender has seen, and not what it has committed',
    commit,
    'session.version > view.session.version\n    ? wakeWith(session, view.fence.epoch, [...slots.filter(({ n }) => n < view.session.version), ...kept])\n    : wakeFor(session)',
    'wakeWith(session, view.fence.epoch, [...kept, ...slots])',
  ),
  mutant(
    'a wake brings less than its receiver reads',
    agent('session/wake'),
    'const from = tailStart(session);\n  const byNumber',
    'const from = Math.max(tailStart(session), session.version - 1);\n  const byNumber',
  ),
  mutant(
    'what goes with the commit is pushed by nobody',
    stream,
    'frames.filter((frame) => frame.seq > handedOn),',
    '[],',
  ),
  mutant(
    'a deploy moves the rules of a run that goes',
    agent('step/open/rules'),
    'const begins = !session.batch && (!session.run || session.run.ended);',
    'const begins = !session.batch;',
  ),
  mutant('no adoption', recovered, 'return calling ? {', 'return !calling ? {'),
  // Either clause is enough alone: a run that ended with this many steps is another run.
  mutant(
    'adopts the slot of another run and step',
    recovered,
    'model.runId !== run.id || model.step !== run.steps + 1',
    'run.id === undefined',
  ),
  mutant(
    "adopts another reply's results",
    recovered,
    '...batchOf(session.version + 1, calling)',
    "...(find(session.version + 1)?.kind === 'tools' && { tools: find(session.version + 1) })",
  ),
  mutant(
    'a recovered batch is not put again',
    runTools,
    'const slotKept = keepSlots(step, [slot]);',
    'const slotKept = step.recovered.model ? Promise.resolve() : keepSlots(step, [slot]);',
  ),
  mutant(
    'a recovered reply is not put again',
    outcomes,
    'await keepSlots(step, [slot]);\n  return {\n    session: { ...session, version: slot.n + 1 },\n    incorporated: accounted',
    'if (!step.recovered.model) await keepSlots(step, [slot]);\n  return {\n    session: { ...session, version: slot.n + 1 },\n    incorporated: accounted',
  ),
  mutant(
    'events that were done are drained',
    agent('step/model/turn'),
    'inbox.filter((event) => !event.done);',
    '[...inbox];',
  ),
  mutant(
    'what a step leaves for the next is taken for read',
    agent('step/model/turn'),
    'const incorporated = loaded.view.fence.inbox.filter((id) => !later.has(id));',
    'const incorporated = loaded.view.fence.inbox;',
  ),
  mutant(
    'a step takes all that waits',
    agent('step/model/turn'),
    'return room < 0 && i > 0;',
    'return false;',
  ),
  mutant(
    'a large message is never taken',
    agent('step/model/turn'),
    'return room < 0 && i > 0;',
    'return room < 0;',
  ),
  mutant(
    'drained events stay in the inbox',
    agent('step/model/turn'),
    'const incorporated = loaded.view.fence.inbox.filter((id) => !later.has(id));',
    'const incorporated: string[] = [];',
  ),
  mutant(
    'events are marked before the commit',
    openStep,
    'const { consumed } = view.fence;',
    'const consumed = view.fence.inbox;',
  ),
  mutant('a mark that failed is forgotten', openStep, '() => consumed,', '() => [],'),
  mutant(
    'retries are not counted',
    agent('step/model/retry'),
    'counts: { retries, rateLimits, failingSince',
    'counts: { failingSince',
  ),
  mutant('retries are not waited for', outcomes, "{ kind: 'continue', delayMs });", "{ kind: 'continue' });"),
  mutant(
    'outages are not outlasted',
    agent('step/model/retry'),
    'if (spent && leftMs <= 0) {',
    'if (spent) {',
  ),
  mutant(
    'outages are outlasted for ever',
    agent('step/model/retry'),
    'if (spent && leftMs <= 0) {',
    'if (spent && leftMs <= -1e12) {',
  ),
  mutant(
    'failures of the tool source are the model’s',
    outcomes,
    'counted(run, failure, failedAt, unlisted === true)',
    'counted(run, failure, failedAt, false)',
  ),
  mutant(
    'every failure begins an outage anew',
    agent('step/model/retry'),
    'before || (mayPass',
    '0 || (mayPass',
  ),
  mutant(
    'the fence is skipped',
    admitGroup,
    'if (unsafe) await fenceUnsafe(step, unsafe.call.id, slotKept);\n  else if',
    'if',
  ),
  mutant(
    'the fence comes after the start',
    admitGroup,
    'if (unsafe) await fenceUnsafe(step, unsafe.call.id, slotKept);',
    'if (unsafe) void fenceUnsafe(step, unsafe.call.id, slotKept).catch(() => {});',
  ),
  mutant(
    'the fence does not wait for the reply',
    admitGroup,
    'io.sessions.fence(key, epoch, cancelGen, [callId]), slotKept]',
    'io.sessions.fence(key, epoch, cancelGen, [callId])]',
  ),
  mutant(
    'what needs no fence does not look for a cancel',
    admitGroup,
    'else if (starting.some(asksHead)) await step.lease.look();',
    '',
  ),
  mutant(
    'who looks for a cancel starts without the answer',
    admitGroup,
    'await step.lease.look();',
    'void step.lease.look().catch(() => {});',
  ),
  mutant(
    'results of unsafe calls are dropped',
    runCalls,
    'await io.sessions.putResult(loaded.key, slot, result).catch(() => {});',
    ';',
  ),
  mutant(
    'what stands of a call is not looked for before it runs',
    runCalls,
    'if (stands) return stands;',
    '',
  ),
  mutant(
    'who stood still before a call does not look again',
    runCalls,
    '  if (why === undefined) await admitStill(step, { tool }, askedAt);\n',
    '',
  ),
  mutant(
    'a commit names rules that are not stored',
    agent('step/open/rules'),
    '  await sessions.putDefinition(key.tenant, definition, held);\n',
    '  void sessions.putDefinition(key.tenant, definition, held).catch(() => {});\n',
  ),
  mutant(
    'kept results are not used',
    agent('step/batch/plan-batch'),
    'return kept ?? (started',
    'return (started',
  ),
  mutant(
    'started calls are planned again',
    agent('step/batch/plan-batch'),
    'return kept ?? (started',
    'return undefined ?? (false && started',
  ),
  mutant(
    'every attempt has its own key',
    agent('tools/execute'),
    'idempotencyKey(on.key, on.slot, call) };',
    'idempotencyKey(on.key, on.deadlineAt, call) };',
  ),
  mutant(
    'calls start after a cancel',
    runCalls,
    'if (whyNot === undefined)',
    "if (stopped === 'cancelled' || whyNot === undefined)",
  ),
  mutant('the lease is lost and nobody stops', lease, "if (held === 'lost') stopFor('lost');", ''),
  mutant(
    'a takeover is seen and nobody stops',
    lease,
    "if (!seen || seen.epoch !== epoch) return stopFor('lost');",
    '',
  ),
  mutant(
    'a cancel is seen and nobody stops',
    lease,
    "if (seen.cancelGen > view.session.cancelSeen) stopFor('cancelled');",
    '',
  ),
  mutant(
    'the heartbeat goes on',
    lease,
    "      closed.abort('closed');\n      await Promise.all([heartbeat, watch, deadline]);",
    '',
  ),
  mutant(
    'an event is accepted without a wake',
    agent('doors/accept'),
    'wake && io.queue.send(wake),',
    "wake && result.kind === 'duplicate' && io.queue.send(wake),",
  ),
  mutant(
    'wakes of replays are deduplicated',
    agent('doors/accept'),
    'wake && io.queue.send(wake),',
    "wake && result.kind === 'accepted' && io.queue.send(wake),",
  ),
  mutant(
    'a cancel without a wake',
    agent('doors/accept'),
    "if (result === 'cancelled') await queue.send(key);",
    '',
  ),
  mutant(
    'dead letters are dropped',
    agent('doors/dead-letter'),
    '  await io.queue.send({ ...wake, deadLetters: trips + 1 }, options.leaseMs + PAUSE_MS);\n',
    '',
  ),
  mutant(
    'dead letters are revived for ever',
    agent('doors/dead-letter'),
    'deadLetters: trips + 1',
    'deadLetters: trips',
  ),
  mutant('no sweeper', agent('doors/sweep'), '  await io.queue.send(wakeFor(session));\n', ''),
  mutant(
    'sweep: takes a few pages and stops',
    agent('doors/sweep'),
    'while (!isOver && io.clock.now() < deadlineAt) await takePage();',
    'if (!isOver && io.clock.now() < deadlineAt) await takePage();',
  ),
  mutant(
    'sweep: the first pages are taken for all',
    agent('doors/sweep'),
    'if (failed.length === page.length) isOver = true;',
    'isOver = all = true;',
  ),
  mutant(
    'crashes are not counted',
    agent('guardrails/budgets/crash-loop'),
    'attempts > maxAttempts',
    'attempts > 9e9',
  ),
  mutant(
    'frames count from the last commit',
    stream,
    'let seq = seqBefore(view.fence.epoch);',
    'let seq = view.session.eventSeq;',
  ),
  mutant(
    'the last frames do not reach the log',
    stream,
    'let unlogged: readonly Frame[] = view.tail;',
    'let unlogged: readonly Frame[] = [];',
  ),
  mutant('pushed before it is logged', stream, 'if (!unlogged.some(opens)) return', 'if (unlogged) return'),
  mutant(
    'a takeover closes nothing',
    agent('step/end/tell-start'),
    '  for (const event of closing(open)) stream.emit(event);\n',
    '',
  ),
  mutant('a takeover starts the run again', agent('step/end/tell-start'), ' && !open.runStarted)', ')'),
  mutant(
    'a takeover shows nothing anew',
    agent('step/model/turn'),
    'if (step.isRetry) tellSnapshot(step, [], input);\n  else',
    '',
  ),
  mutant(
    'late frames are shown',
    agent('events/late-frames'),
    'frame.seq > before && !isBeside(frame, before)',
    'frame.seq < 0',
  ),
  mutant(
    'who comes back misses the end',
    agent('events/catch-up'),
    'read.push(...view.tail.filter(({ seq }) => seq > after && !known.has(seq)));',
    '',
  ),
  mutant(
    'tool results are not in call order',
    agent('step/batch/groups'),
    '  return groups;',
    '  return groups.reverse();',
  ),
  {
    name: 'the session is lost and nobody stops',
    edits: [
      { file: lease, find: "if (held === 'lost') stopFor('lost');", replace: '' },
      { file: lease, find: "if (!seen || seen.epoch !== epoch) return stopFor('lost');", replace: '' },
    ],
  },
  mutant(
    'the lease is not prolonged',
    lease,
    'const held = await io.sessions.extend(key, epoch, io.clock.now() + leaseMs);',
    "const held: string = 'held';",
  ),
  mutant(
    'the message is not kept away',
    lease,
    'await Promise.all([prolong(), io.queue.hide(invocation.message, hideMs(leaseMs))]);',
    'await prolong();',
  ),
  mutant('nobody looks for a cancel', lease, 'const WATCH_MS = 1_000;', 'const WATCH_MS = 1_000_000;'),
  mutant(
    'the deadline is not seen',
    lease,
    "stopFor('deadline');",
    "stopFor('deadline' as never);\n      why = undefined;",
  ),
  mutant(
    'stale reads after a death',
    agent('step/open/load'),
    'hint?.version === session.version && isFirst',
    'hint?.version === session.version',
  ),
  mutant(
    'stale inbox beside the claim',
    agent('step/open/load'),
    'current ? inboxBeside : []',
    'hint ? inboxBeside : []',
  ),
  mutant(
    'a takeover starts a line of its own',
    agent('step/end/tell-start'),
    'if (before) stream.follow(before.seq);',
    '',
  ),
  mutant(
    'late takeovers hide frames',
    agent('events/late-frames'),
    'continue;\n    line.push(frame);\n    before = Math.min(before, frame.prev);',
    '{\n      before = Math.min(before, frame.prev);\n      continue;\n    }\n    line.push(frame);\n    before = Math.min(before, frame.prev);',
  ),
  mutant(
    'a recovered reply takes new events with it',
    agent('step/model/turn'),
    'const incorporated = [...input.flatMap(({ eventId }) => eventId ?? []), ...answeredBy(textOnly, loaded)];',
    'const incorporated = loaded.view.fence.inbox;',
  ),
  mutant('a refused run forgets its message', outcomes, 'if (run.steps > 0) {', 'if (run.steps >= 0) {'),
  mutant('a lost step runs its tools on', runCalls, "if (stopped === 'lost') throw new Superseded();", ''),
  mutant(
    'a lost call is a reply',
    agent('step/model/model-call'),
    "if (lease.stopped() === 'lost') throw new Superseded();",
    '',
  ),
  mutant(
    'the log is left out however much there is',
    stream,
    'if (unlogged.some(ends) || JSON.stringify(unlogged).length > MAX_CARRIED) await writeLog();',
    'unlogged = [];',
  ),
  // The fence refuses what is on record, and the plan does not ask for it: either is enough alone.
  {
    name: 'what is on record is started again',
    edits: [
      {
        file: agent('step/batch/plan-batch'),
        find: 'return kept ?? (started',
        replace: 'return undefined ?? (false && started',
      },
      {
        file: 'shared/memory/transitions.ts',
        find: 'if (held && head.cancelGen === cancelGen && unknown) {',
        replace: 'if (held && head.cancelGen === cancelGen) {',
      },
    ],
  },
  mutant(
    'a revived wake is settled by a lease',
    commit,
    '      if (wake.deadLetters) await send(wake, REVIVED_AGAIN_MS, io);\n',
    '',
  ),
];
