/** Texts in imported and exported conversations: beside `texts.ts`, as no step needs it. */
export const historyTexts = {
  /** Where an imported conversation begins with the assistant. */
  opening: '[steploop] This conversation begins with you.',
  /** The result of an imported call that has none. */
  notRun:
    'Error [not_run]: this call has no result in the conversation that was imported. It was not run here.',
  /** The result, in an export, of a call that is still waited for. */
  open: 'Error [open]: this call has no result yet.',
} as const;
