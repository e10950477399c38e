import type { Price } from '../agent/config/price.ts';

/** Multiples of the price for calls that are not served in the standard mode. The price list has none of them. */

/** developers.openai.com/api/docs/pricing: the columns of batch and flex are half of the standard one. */
const OPENAI = { batch: 0.5, flex: 0.5 } as const;

/** The same page, column of priority; for other models it is no plain multiple, or is not known. */
const OPENAI_PRIORITY: Readonly<Record<string, number>> = {
  'gpt-5': 2,
  'gpt-5.1': 2,
  'gpt-5.2': 2,
  'gpt-5.4': 2,
  'gpt-5.5': 2.5,
};

/** platform.claude.com/docs/en/about-claude/pricing: batch, and data residency for models since Opus 4.6. */
const ANTHROPIC = { batch: 0.5, us: 1.1 } as const;

/** platform.claude.com/docs/en/build-with-claude/fast-mode, "Pricing". */
const ANTHROPIC_FAST: Readonly<Record<string, number>> = {
  'claude-opus-4-8': 2,
  'claude-opus-5': 2,
  'claude-opus-5-5': 2,
};

/** ai.google.dev/gemini-api/docs/optimization. */
const GOOGLE = { batch: 0.5, flex: 0.5 } as const;

/** ai.google.dev/gemini-api/docs/pricing, as `@pydantic/genai-prices` quotes it. Other models cost 75% to 100% more. */
const GOOGLE_PRIORITY: Readonly<Record<string, number>> = {
  'gemini-3.7-flash': 1.8,
  'gemini-3.8-flash': 1.8,
};

/**
 * The multiples of a model; undefined if none are known.
 *
 * @param provider its id in the price list
 * @param model its id there
 */
export function modesOf(provider: string, model: string): Price['modes'] {
  switch (provider) {
    case 'openai':
      return { ...OPENAI, ...of(OPENAI_PRIORITY, model, 'priority') };
    case 'anthropic':
      return { ...ANTHROPIC, ...of(ANTHROPIC_FAST, model, 'fast') };
    case 'google':
      return { ...GOOGLE, ...of(GOOGLE_PRIORITY, model, 'priority') };
    default:
      return undefined;
  }
}

const of = <Mode extends string>(
  table: Readonly<Record<string, number>>,
  model: string,
  mode: Mode,
): { readonly [mode in Mode]?: number } => {
  const multiple = Object.hasOwn(table, model) ? table[model] : undefined;
  return (multiple === undefined ? {} : { [mode]: multiple }) as { readonly [mode in Mode]?: number };
};
