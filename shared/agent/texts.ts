/**
 * Every text of ours that the model reads. Short; each says who speaks and what is wanted.
 */
export const texts = {
  /** A15: the reply was cut at the output limit. */
  resumeAfterCut:
    '[steploop] Your last reply was cut off at the output limit. Go on exactly where it stopped, without repeating anything. If you were about to call a tool, call it now, with smaller arguments.',
  /** The same, of an answer that is one JSON object: where its server holds it to a schema, the next reply begins an object anew. */
  wholeAfterCut:
    '[steploop] Your last reply was cut off before its end. Do not go on in the middle: if it was your answer, give the whole JSON object again from its beginning, and shorter. If you were about to call a tool, call it now, with smaller arguments.',
  /** Where a request would end with a reply that its server cannot go on with. */
  goOnHere: '[steploop] Go on.',
  /** In place of what the model does not read any more, because its server refuses requests with it. */
  omitted: {
    input: {
      malformed:
        '[steploop] A message that stood here is left out: your server could not take the request with it. Do not guess what it said. If you need it, ask the user to send it again in another form.',
      refused:
        '[steploop] A message that stood here is left out: your server refused to answer it. Do not guess what it said.',
    },
    result: {
      malformed:
        '[steploop] The result of this call is left out: your server could not take the request with it. The call was run.',
      refused:
        '[steploop] The result of this call is left out: your server refused to answer a request with it. The call was run. Do not call it again for the same content.',
    },
    reply:
      '[steploop] Your last reply, or a part of it, is left out here: your server could not take the request with it. Go on from what you can read.',
  },
  /** A call of earlier, for a model that has no tools now. */
  calledBefore: (name: string, input: string, result: string) =>
    `[steploop] Earlier the tool ${name} was called with ${input}. Its result:\n${result}`,
  /** Our own time ran out in the middle of a reply: no limit of the model's. */
  resumeAfterDeadline:
    '[steploop] Your last reply was interrupted: the time of the worker that was listening ran out. You have reached no limit. Go on exactly where it stopped, without repeating anything. If you were calling a tool, it was not run: call it again.',
  /** T18: the calls of a reply were cut. */
  smallerArguments:
    '[steploop] Truncation: your tool call was cut off at the output limit, so it was not run. No argument is missing or wrong. Make the call again with smaller arguments, for instance the file in several parts.',
  /** H12: what came after whole calls was cut. */
  resumeAfterCutCalls:
    '[steploop] Truncation: your last reply was cut off at the output limit after these calls, which were run. What came after them is lost. Go on in smaller pieces.',
  /** A person has set the session's files back. */
  filesRestored: (slot: number) =>
    `[steploop] The files of the workspace were set back to how they were after turn ${slot} of this conversation. What you have read or changed of them since then may not be so any more: read them again before you go on.`,
  /** Somebody has the session go on after a run that came to nothing. */
  goOnAfter: (reason: string) =>
    `[steploop] Your last run ended before it was done (${reason}), and you are asked to go on now. Begin where it stopped: what was done stays done.`,
  /** Files that came with a message and found no room in the workspace: a sentence each. */
  filesRefused: (why: readonly string[]) =>
    `[steploop] Files that were sent and are not in the workspace:\n${why.join('\n')}`,
  /** T15. */
  emptyReply:
    '[steploop] Your last reply was empty: it had no text and called no tool. Answer, or call the tool that you need.',
  /** T16. */
  onlyThinking:
    '[steploop] Your last reply was only thinking, which nobody sees. Say your answer as text, or call a tool.',
  /** A23. */
  endedAfterFailure:
    '[steploop] You ended your turn without a word, and one of the last results is a failure. Deal with it, or say what went wrong and what is left to do.',
  /** H3, T29. */
  actNow:
    '[steploop] Intent: you said what you would do next, and called no tool. If it is yours to do and nobody has to agree to it first, call the tool. If it waits for the word of the user, say what you wait for and stop there; do not act without it. If nothing is left to do, give your answer.',
  /** T29. */
  artifactMissing: (paths: readonly string[]) =>
    `[steploop] Intent: you were asked to write ${paths.join(', ')}, and no call of yours has. Write it, or say why it is not written; if you wait for the word of the user, say for what.`,
  /** H5. */
  onlyStatus:
    '[steploop] Status only: your answer names a state and nothing else. Say what you did, where, and what came of it.',
  /** H4: each requirement that is not met. */
  unproved: (
    missing: readonly ('files_changed' | 'verification_ran' | 'verification_passed')[],
    last: { readonly exitCode: number | null } | undefined,
  ) => {
    const seen =
      last?.exitCode === null
        ? ' The exit code of the last one is hidden by what it was piped to or followed by: run it by itself.'
        : last
          ? ` The last verification exited with ${last.exitCode}.`
          : '';
    const said = {
      files_changed: 'this task asks for a change, and no file has been changed. Make the change.',
      verification_ran: 'no test or check has been run since the last change. Run one.',
      verification_passed: `a test or check must pass after the last change.${seen} Run it, and mend what fails.`,
    };
    return `[steploop] Verification: ${missing.map((wanted) => said[wanted]).join(' Also: ')} Then answer.`;
  },
  /** A23. */
  shellPivot:
    '[steploop] Shell: these failures come from the environment, not from your command: something is missing or forbidden there. Do not repeat them; use another tool or another way.',
  /** H16: the parts of a recovery. */
  shellFailed: (output: string) =>
    `[steploop] Recovery: your commands keep failing. The end of the last output:\n${output}\nFind the cause before you run another one.`,
  callFormat: (written: string) =>
    `[steploop] Recovery: you wrote a tool call as text (${written}), so it was not run. Make it as a tool call: the name of one of your tools, and its arguments as one JSON object that fits its schema.`,
  /** H19: beside calls that were run. */
  callBeside: (written: string) =>
    `[steploop] Malformed call: beside the calls that were run you wrote one as text (${written}), and that was not run. If you still need it, make it as a tool call, with its arguments as one JSON object.`,
  loopHalted: (why: string) =>
    `[steploop] Recovery: you were going round in circles. ${why} Do something else now, or answer with what you have.`,
  /** T3. */
  budgetLow:
    '[steploop] Budget: most of it is used. You can call no more tools; calls are dropped. Answer now: what you found, what you did, what is left.',
  /** T19. */
  budgetSpent:
    '[steploop] Budget: it is used up. Calls of yours that you see no result of were not run. This is your last reply: say what you found, what you did, what is left.',
  /** T4. */
  graceStep:
    '[steploop] Steps: the limit is reached. You can call no more tools; calls are dropped. This is your last reply: say what you found, what you did, what is left.',
  /** T6. */
  wrapUp:
    '[steploop] Wrap up: you are asked to stop here. Call no tools; calls are dropped. Reply with one JSON object and nothing else: {"findings": [], "actionsTaken": [], "failures": [], "remainingWork": [], "suggestedNextSteps": []}, each a list of short strings.',
  /** The outcome of an unsafe call whose owner died. */
  unknownOutcome:
    'Error [unknown_outcome]: this call was started, and its worker died before the result was kept. It may or may not have taken effect. Check before you do it again; it was not repeated.',
  /** L4: the result of a call that a loop guard refused. */
  loopBlocked: (message: string) => JSON.stringify({ error: `[loop-guard] ${message}`, loop_blocked: true }),
  /** L4: on the result of a call that a loop guard warns of. */
  loopNote: (message: string) => `\n[loop-guard] ${message}`,
  /** Section 7, rule 6. */
  batchHalted: 'Error [cancelled]: a guard stopped this batch before anything of it ran.',
  /** T8: advice of three levels. */
  callStreak: (name: string, times: number, level: number) => {
    const said = `[loop-guard] Call streak: ${name} was called ${times} times in a row with the same arguments, or nearly so.`;
    if (level === 0) return `${said} Look at what it returned, and go another way.`;
    if (level === 1)
      return `${said} It will not return anything else. Call another tool, or answer with what you have.`;
    return `${said} Stop calling it now. Say what you know, what is missing, and answer.`;
  },
  /** H16. */
  contextExhausted:
    '[steploop] Recovery: your last reply was cut off, because your context was full. It was made smaller since. Go on exactly where the reply stopped, without repeating anything.',
  /** H20: in place of an old result. */
  clearedResult: (facts: string) =>
    `[steploop] Old result, cleared. These facts about it are authoritative: ${facts}`,
  /** For a call, and for a run, that goes round. */
  cycle: (name: string, times: number) =>
    `${name} was asked for ${times} times, and nothing new has come of it, nor of any other call in between.`,
  goesRound: (name: string, times: number) =>
    `[loop-guard] Cycle: you have asked for ${name} ${times} times, and nothing new has come of it, nor of any other call in between. Do something else, or answer with what you have. Going on like this is refused, and then ends the run.`,
  /** For a change that was made before, with the same outcome. */
  changeAgain: (name: string, times: number) =>
    `${name} was asked for ${times} times with the same arguments, and the outcome was the same each time.`,
  sameChange: (name: string, times: number) =>
    `[loop-guard] Same change: you have called ${name} ${times} times with the same arguments, and the outcome was the same each time. If that was not intended, say so. Do not call it like this again, unless you were asked for it so often.`,
  /** For failures that are alike, with other things in between. */
  failedAlike: (name: string, times: number) =>
    `${name} has failed ${times} times in the same way, and has not succeeded in between.`,
  failsLikeBefore: (name: string, times: number) =>
    `[loop-guard] Same failure: ${name} has failed ${times} times in the same way, and has not succeeded in between. Read the error, find its cause, and go another way, or say what is missing. Going on like this ends the run.`,
  /** For different arguments that have the same answer each time. */
  sameAnswer: (name: string, steps: number) =>
    `[loop-guard] Same answer: ${name} has answered the same ${steps} times in a row, whatever it was asked. If you are not going through a list, it will not say anything else: look in another place, or answer with what you have and say what is missing.`,
  foundNothing: (name: string, steps: number) => `${name} has found nothing in ${steps} steps in a row.`,
  /** For calls that fail alike. */
  failsAlike: (name: string, times: number) =>
    `[loop-guard] Failures: ${times} steps in a row have ended in a failure of ${name}. Other arguments of the same kind will fail too: read the error, find its cause, and go another way, or say what is missing. Going on like this ends the run.`,
  /** H8. */
  identicalReads: (name: string, times: number) =>
    `[loop-guard] Identical reads: ${name} was asked for the same thing ${times} times, and nothing has changed since. You have its result above: use it, and stop reading it again.`,
  /** H10. */
  readsLeft: (used: number, left: number) =>
    `[loop-guard] Reads: ${used} are used, ${left} are left in this run; then reads are refused. Stop reading around and act on what you know.`,
  readsRefused: (why: string) => `Error [refused]: ${why} Work with what you have read.`,
  /** H11: three levels. */
  noMutation: (steps: number, level: number) => {
    const said = `[loop-guard] No change: ${steps} steps in a row have changed nothing.`;
    if (level === 1) return `${said} If you know enough, make the change now.`;
    if (level === 2) return `${said} Make the change in your next step. Do not read anything else first.`;
    return `${said} IMPORTANT: your next call must make the change. If it cannot be made, say why and end.`;
  },
  /** L13. */
  pattern: (name: string, detector: 'generic_repeat' | 'poll_no_progress' | 'ping_pong', times: number) => {
    if (detector === 'generic_repeat') return `${name} was called ${times} times with the same arguments.`;
    if (detector === 'poll_no_progress') return `${name} has answered the same ${times} times in a row.`;
    return `${name} and another call have followed each other ${times} times in turn.`;
  },
  /** L15. */
  selfCorrect: (pattern: string) =>
    `[loop-guard] Pattern: ${pattern} Say what you expected and what came instead, then go another way. Going on like this is refused.`,
  /** T9. */
  exploration: (files: number, calls: number) =>
    `[loop-guard] Exploration: ${calls} calls and ${files} files without a change. Say what you still need to know, look at that alone, then act.`,
  onlyTalk: (times: number) =>
    `[loop-guard] Talk: your last ${times} replies only talk. Call the tool that does the next piece of work, or give your final answer.`,
  failedTests: (times: number) =>
    `[loop-guard] Tests: they have failed ${times} times in a row. Before you run them again, read the first failure, say its cause, and change that.`,
  failedShells: (times: number, files: boolean) =>
    files
      ? `[loop-guard] Shell: ${times} commands in a row have failed. Use the file tools for files, not the shell.`
      : `[loop-guard] Shell: ${times} commands in a row have failed. Do not try variations: find out why, or use another tool.`,
  /** T12: the first thing after a fold. */
  goOn: '[steploop] The conversation was made shorter; what came before is summed up above. Go on with the work where it stands. Do not sum up again, and do not begin anew.',
  /** T13: at the end of a text of ours that was cut. */
  injectionCut: ' … [cut]',
  /** A person said no. */
  denied: (note: string | undefined) =>
    `Error [denied]: a person was asked to approve this call and refused. ${note ? `They say: ${note}` : 'Do not make it again; go another way, or ask what they want instead.'}`,
  /** T22: a policy forbids it. */
  forbidden: (rule: string) =>
    `Error [forbidden]: the policy of this agent forbids this call (${rule}). It was not run, and nobody can allow it here. Do not try to reach the same in another way; say what you could not do.`,
  /** T22: nobody is there who could decide. */
  nobodyToAsk: (rule: string) =>
    `Error [denied]: this call needs the approval of a person (${rule}), and nobody is there to ask. It was not run. Do what you can without it, and say what is left.`,
  /** What was granted does not hold any more, or what was allowed must be asked about by now. */
  leaveOver:
    'Error [denied]: the leave that this call had is over, and it was not run. Make it again if it is still needed, so that a person is asked.',
  /** Nobody decided in time. */
  approvalExpired:
    'Error [denied]: this call needs the approval of a person, and nobody has decided in time. It was not run.',
  /** The tool has changed since it was asked about. */
  readOtherwise:
    'Error [denied]: a person approved this call, and since then its tool reads the same arguments in another way. It was not run. Make it again, so that they see what it does now.',
  /** The answer to a question came as a message. */
  answeredByMessage: 'The user has answered with the message that follows.',
  /** Nobody answered a question. */
  unanswered: 'Error [unanswered]: nobody has answered in time.',
  /** A queued call had not even begun. */
  callExpired: 'Error [timeout]: this call did not start in time. It was not run.',
  /** A queued call killed its worker again and again. */
  callDied: 'Error [failed]: the worker of this call died each time it was tried.',
  /** The calls before it in the batch have used up the step's time. */
  noTimeLeft:
    'Error [timeout]: the calls before this one took all the time of their step, so it was not started. Make it again if it is still needed.',
  cancelled: 'Error [cancelled]: the run was stopped before this call started.',
  tooManyCalls: (limit: number) =>
    `Error [refused]: one reply may make at most ${limit} calls; this one was not run. Make it in your next reply.`,
  toolsMissing: (sources: readonly string[]) =>
    `[steploop] Tools of ${sources.join(' and ')} are not available in this conversation: they could not be listed when it began. Do without them, and say so where it matters.`,
  /** T20: the output of a call, whose batch would fill the context. */
  outputLeftOut: (whole: number) =>
    `[steploop] Output left out: the call has run, and its ${whole} characters would not fit into your context beside the other results of this reply. If you need them and the call only reads, make it again with fewer beside it.`,
  outputCut: (shown: number, whole: number) =>
    `\n[steploop] Output cut: ${shown} of ${whole} characters shown.`,
  /** What was sent beside the text, or came with a result. */
  attached: ({ as, name, bytes, width, height, path, unpacked }: Sent) => {
    if (as === 'document') return `[document "${name}"]`;
    if (as === 'image') return `[image "${name}"${width && height ? `, ${width}×${height}` : ''}]`;
    return unpacked
      ? `[file "${name}": its ${unpacked.files} files are in the workspace, below "/${path ?? ''}"]`
      : `[file "/${path ?? name}", ${bytes} bytes, is in the workspace]`;
  },
  notShown: ({ as, name }: Pick<Sent, 'as' | 'name'>, why: string) =>
    `[steploop] The ${as} "${name}" is not shown to you: ${why}.`,
} as const;

/** Something that was sent: its name has nothing in it that ends a line, and no quotes. */
interface Sent {
  readonly as: 'image' | 'document' | 'file';
  readonly name: string;
  readonly bytes: number;
  readonly width?: number;
  readonly height?: number;
  readonly path?: string;
  readonly unpacked?: { readonly files: number };
}
