/**
 * Every text of ours that the model reads. Short; each says who speaks and what is wanted.
 */
export const texts = {
  /** A15: the reply was cut at the output limit. */
  resumeAfterCut:
    '[steploop] Your last reply was cut off at the output limit. Go on exactly where it stopped, without repeating anything. If you were about to call a tool, call it now, with smaller arguments.',
  /** The outcome of an unsafe call whose owner died. */
  unknownOutcome:
    'Error [unknown_outcome]: this call was started, and its worker died before the result was kept. It may or may not have taken effect. Check before you do it again; it was not repeated.',
  cancelled: 'Error [cancelled]: the run was stopped before this call started.',
  tooManyCalls: (limit: number) =>
    `Error [refused]: one reply may make at most ${limit} calls; this one was not run. Make it in your next reply.`,
  outputCut: (shown: number, whole: number) =>
    `\n[steploop] Output cut: ${shown} of ${whole} characters shown.`,
} as const;
