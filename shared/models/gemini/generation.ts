/**
 * Whether a model is of Gemini 3 or later. These sign their calls, demand the signatures back, and read images in the
 * results of functions (ai.google.dev/gemini-api/docs/thought-signatures, ai.google.dev/gemini-api/docs/function-calling).
 * An alias such as `gemini-flash-latest` means a current model.
 *
 * @param model its name, with or without `models/`
 */
export const isCurrent = (model: string): boolean =>
  !/^(?:gemini-[12]\b|gemma\b|learnlm\b)/.test(model.slice(model.lastIndexOf('/') + 1).toLowerCase());
