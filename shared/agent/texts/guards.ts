/**
 * The texts of guards to the model: beside `texts.ts`, as most functions run no guard. Each says who speaks and what is wanted.
 */
export const guardTexts = {
  /** A15: the reply was cut at the output limit. */
  resumeAfterCut:
    '[steploop] Your last reply was cut off at the output limit. Go on exactly where it stopped, without repeating anything. If you were about to call a tool, call it now, with smaller arguments.',
  /** T18: the calls of a reply were cut. */
  smallerArguments:
    '[steploop] Truncation: your tool call was cut off at the output limit, so it was not run. No argument is missing or wrong. Make the call again with smaller arguments, for instance the file in several parts.',
  /** H12: what came after whole calls was cut. */
  resumeAfterCutCalls:
    '[steploop] Truncation: your last reply was cut off at the output limit after these calls, which were run. What came after them is lost. Go on in smaller pieces.',
  /** T15. */
  emptyReply:
    '[steploop] Your last reply was empty: it had no text and called no tool. Answer, or call the tool that you need.',
  /** T16. */
  onlyThinking:
    '[steploop] Your last reply was only thinking, which people do not see. Say your answer as text, or call a tool.',
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
  /** L4: the result of a call that a loop guard refused. */
  loopBlocked: (message: string) => JSON.stringify({ error: `[loop-guard] ${message}`, loop_blocked: true }),
  /** T8: advice of three levels. */
  callStreak: (name: string, times: number, level: number) => {
    const said = `[loop-guard] Call streak: ${name} was called ${times} times in a row with the same arguments, or nearly so.`;
    if (level === 0) return `${said} Look at what it returned, and go another way.`;
    if (level === 1)
      return `${said} It will not return anything else. Call another tool, or answer with what you have.`;
    return `${said} Stop calling it now. Say what you know, what is missing, and answer.`;
  },
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
  siblings: (times: number) =>
    `[loop-guard] Agents: those that you asked have made ${times} of the same reads as one another. Give each a part of its own, and tell the next one what the others have found.`,
  looksDone:
    '[loop-guard] Progress: a review of your last steps says that the goal is reached. Check that, and if it is so, give your final answer now.',
  looksStuck:
    '[loop-guard] Progress: a review of your last steps says that they do not bring the goal nearer. Do something else than before, or say what is missing. If the next review says the same, the run ends.',
  /** For people. */
  noProgressAssessed: (why: string) =>
    `Two reviews in a row say that the run makes no progress.${why ? ` ${why}` : ''}`,
  failedTests: (times: number) =>
    `[loop-guard] Tests: they have failed ${times} times in a row. Before you run them again, read the first failure, say its cause, and change that.`,
  failedShells: (times: number, files: boolean) =>
    files
      ? `[loop-guard] Shell: ${times} commands in a row have failed. Use the file tools for files, not the shell.`
      : `[loop-guard] Shell: ${times} commands in a row have failed. Do not try variations: find out why, or use another tool.`,
  /** T12: the first thing after a fold. */
  goOn: '[steploop] The conversation was made shorter; what came before is summed up above. Go on with the work where it stands. Do not sum up again, and do not begin again.',
  /** T13: at the end of a text of ours that was cut. */
  injectionCut: ' … [cut]',
} as const;
