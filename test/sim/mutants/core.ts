/** Mutants of the step: the order of its actions, and its conclusions from answers (`shared/agent`). */

import { type Mutant, mutant } from './mutant.ts';

const agent = (name: string) => `shared/agent/${name}.ts`;
const commit = agent('step/end/commit');
const step = agent('step/step');
const recovered = agent('step/open/recovered');
const openStep = agent('step/open/open-step');
const admitGroup = agent('step/batch/admit-group');
const runCalls = agent('step/batch/run-calls');
const runTools = agent('step/batch/run-tools');
const keptReply = agent('step/end/kept-reply');
const unanswered = agent('step/end/unanswered');
const listTools = agent('step/model/list-tools');
const keepDefinition = agent('step/model/keep-definition');
const stream = agent('events/stream');
const lease = agent('step/open/lease');

export const coreMutants: readonly Mutant[] = [
  mutant(
    'a kept reply is recovered without the tools of its request',
    listTools,
    'if (kept?.definition && kept.definition !== step.session.definition)\n    return under(step, admitted, await recovered(step, kept.definition));',
    '',
  ),
  mutant(
    'a reply is kept without the definition of its request',
    keptReply,
    '    ...(step.listed && { definition: step.listed }),\n',
    '',
  ),
  mutant(
    'listed tools are not stored',
    keepDefinition,
    '  await io.sessions.putDefinition(key.tenant, definition, pinned);\n',
    '',
  ),
  mutant(
    'ack when this message holds the lease',
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
    'early: no replacement wake',
    commit,
    '      await send(wake, claim.dueAt - io.clock.now(), io);\n',
    '',
  ),
  mutant(
    'early: again without a delay',
    commit,
    'await send(wake, claim.dueAt - io.clock.now(), io);',
    'await send(wake, 0, io);',
  ),
  mutant('the rest of a second is not waited for', commit, '  if (rest > 0) await clock.sleep(rest);\n', ''),
  mutant('rest: the end is not announced again', commit, '      await tellAgain(claim.view, io);\n', ''),
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
    'the end is announced before the commit',
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
    'stale reads next to the claim',
    agent('step/open/load'),
    'current ? tailBeside(wake, view, slotsBeside) : undefined',
    'tailBeside(wake, view, slotsBeside)',
  ),
  mutant(
    'a wake brings what its sender has seen instead of what it has committed',
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
    'frames in the commit are not pushed',
    stream,
    'frames.filter((frame) => frame.seq > (handedOn?.seq ?? first)),',
    '[],',
  ),
  mutant(
    'a deploy changes the rules of a running run',
    agent('step/open/rules'),
    'const begins = !session.batch && (!session.run || session.run.ended);',
    'const begins = !session.batch;',
  ),
  mutant('no adoption', recovered, 'return calling ? {', 'return !calling ? {'),
  // Either condition is enough alone, since a run that ended with this many steps is a different run.
  mutant(
    'adopts the slot of another run and step',
    recovered,
    'model.runId !== run.id || model.step !== run.steps + 1',
    'run.id === undefined',
  ),
  mutant(
    'adopts another reply’s results',
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
    keptReply,
    'await keepSlots(step, [slot]);\n  return {\n    session: { ...session, version: slot.n + 1 },\n    incorporated: accounted',
    'if (!step.recovered.model) await keepSlots(step, [slot]);\n  return {\n    session: { ...session, version: slot.n + 1 },\n    incorporated: accounted',
  ),
  mutant(
    'finished events are taken again',
    agent('step/model/turn'),
    'inbox.filter((event) => !event.done);',
    '[...inbox];',
  ),
  mutant(
    'events left for the next step are marked as read',
    agent('step/model/turn'),
    'const incorporated = loaded.view.fence.inbox.filter((id) => !later.has(id));',
    'const incorporated = loaded.view.fence.inbox;',
  ),
  mutant(
    'a step takes the whole inbox',
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
    'taken events stay in the inbox',
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
  mutant('a failed mark is forgotten', openStep, '() => consumed,', '() => [],'),
  mutant(
    'retries are not counted',
    agent('step/model/retry'),
    'counts: { retries, rateLimits, failingSince',
    'counts: { failingSince',
  ),
  mutant(
    'retries are not waited for',
    unanswered,
    "{ kind: 'continue', delayMs });",
    "{ kind: 'continue' });",
  ),
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
    'failures of the tool source are counted as the model’s',
    unanswered,
    'counted(run, failure, failedAt, unlisted === true)',
    'counted(run, failure, failedAt, false)',
  ),
  mutant(
    'every failure starts the outage over',
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
    'calls that need no fence do not look for a cancel',
    admitGroup,
    'else if (starting.some(asksHead)) await step.lease.look();',
    '',
  ),
  mutant(
    'a check for a cancel does not wait for its answer',
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
    'a call runs without a look at its recorded result',
    agent('step/batch/awaiting'),
    'withoutLosers(calls, [...late, ...standing, ...kept]',
    'withoutLosers(calls, [...late, ...kept]',
  ),
  mutant(
    'an owner that froze before a call does not check again',
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
  mutant('kept results are not used', agent('step/batch/facts'), '...late.found, ...kept]', '...late.found]'),
  mutant(
    'started calls are planned again',
    agent('step/batch/known'),
    'results.get(call.id) ??\n  (started',
    'undefined ??\n  (false && started',
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
  mutant('the lease is lost and the step continues', lease, "if (held === 'lost') stopFor('lost');", ''),
  mutant(
    'a takeover is seen and the step continues',
    lease,
    "if (!seen || seen.epoch !== epoch) return stopFor('lost');",
    '',
  ),
  mutant(
    'a cancel is seen and the step continues',
    lease,
    "if (seen.cancelGen > view.session.cancelSeen) stopFor('cancelled');",
    '',
  ),
  mutant(
    'the heartbeat never stops',
    lease,
    "      closed.abort('closed');\n      await Promise.all([heartbeat, watch, deadline]);",
    '',
  ),
  mutant(
    'an event is accepted without a wake',
    agent('entrypoints/accept'),
    'wake && io.queue.send(wake),',
    "wake && result.kind === 'duplicate' && io.queue.send(wake),",
  ),
  mutant(
    'wakes of replays are deduplicated',
    agent('entrypoints/accept'),
    'wake && io.queue.send(wake),',
    "wake && result.kind === 'accepted' && io.queue.send(wake),",
  ),
  mutant(
    'a cancel without a wake',
    agent('entrypoints/accept'),
    "if (result === 'cancelled') await queue.send(key);",
    '',
  ),
  mutant(
    'dead letters are dropped',
    agent('entrypoints/dead-letter'),
    '  await io.queue.send({ ...wake, deadLetters: trips + 1 }, options.leaseMs + PAUSE_MS);\n',
    '',
  ),
  mutant(
    'dead letters are revived endlessly',
    agent('entrypoints/dead-letter'),
    'deadLetters: trips + 1',
    'deadLetters: trips',
  ),
  mutant('no sweeper', agent('entrypoints/sweep'), '  await io.queue.send(wakeFor(session));\n', ''),
  mutant(
    'sweep: takes a few pages and stops',
    agent('entrypoints/sweep'),
    'while (!isOver && io.clock.now() < deadlineAt) await takePage();',
    'if (!isOver && io.clock.now() < deadlineAt) await takePage();',
  ),
  mutant(
    'sweep: the first pages count as all',
    agent('entrypoints/sweep'),
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
    'const first = seqBefore(view.fence.epoch);',
    'const first = view.session.eventSeq;',
  ),
  mutant(
    'the last frames do not reach the log',
    stream,
    'let unlogged: readonly Frame[] = view.tail;',
    'let unlogged: readonly Frame[] = [];',
  ),
  mutant(
    'a commit pushes again what was pushed',
    stream,
    'frames.filter((frame) => frame.seq > (handedOn?.seq ?? first))',
    'frames.filter(() => true)',
  ),
  mutant('what was pushed is not remembered', stream, '    handedOn = frames.at(-1) ?? handedOn;\n', ''),
  mutant('pushed before it is logged', stream, 'if (!unlogged.some(opens)) return', 'if (unlogged) return'),
  mutant(
    'a takeover closes nothing',
    agent('step/end/tell-start'),
    '  for (const event of closing(open)) stream.emit(event);\n',
    '',
  ),
  mutant('a takeover starts the run again', agent('step/end/tell-start'), ' && !open.runStarted)', ')'),
  mutant(
    'a takeover shows no new snapshot',
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
    'a client that comes back misses the end',
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
    name: 'the session is lost and the step continues',
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
    'the message is not kept hidden',
    lease,
    'await Promise.all([prolong(), io.queue.hide(invocation.message, hideMs(leaseMs))]);',
    'await prolong();',
  ),
  mutant(
    'the step never looks for a cancel',
    lease,
    'const WATCH_MS = 1_000;',
    'const WATCH_MS = 1_000_000;',
  ),
  mutant(
    'the deadline is not noticed',
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
    'a takeover starts a separate line',
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
  mutant('a refused run forgets its message', unanswered, 'if (run.steps > 0) {', 'if (run.steps >= 0) {'),
  mutant(
    'a lost step continues to run its tools',
    runCalls,
    "if (stopped === 'lost') throw new Superseded();",
    '',
  ),
  mutant(
    'a lost call counts as a reply',
    agent('step/model/model-call'),
    "if (lease.stopped() === 'lost') throw new Superseded();",
    '',
  ),
  mutant(
    'the log is left out, however much it contains',
    stream,
    'if (unlogged.some(ends) || JSON.stringify(unlogged).length > MAX_CARRIED) await writeLog();',
    'unlogged = [];',
  ),
  // The fence refuses recorded calls, and the plan does not include them: either is enough alone.
  {
    name: 'recorded calls are started again',
    edits: [
      {
        file: agent('step/batch/known'),
        find: 'results.get(call.id) ??\n  (started',
        replace: 'undefined ??\n  (false && started',
      },
      {
        file: 'shared/memory/transitions.ts',
        find: 'if (held && head.cancelGen === cancelGen && unknown) {',
        replace: 'if (held && head.cancelGen === cancelGen) {',
      },
    ],
  },
  mutant(
    'a lease settles a revived wake',
    commit,
    '      if (wake.deadLetters) await send(wake, REVIVED_AGAIN_MS, io);\n',
    '',
  ),
];
