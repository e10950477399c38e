import type * as z from 'zod';
import type { Guardrails } from '../config/guardrails.ts';
import type { Model } from '../config/model.ts';

interface ContextSettings {
  readonly model: z.output<typeof Model>;
  readonly guardrails: Pick<Guardrails, 'context'>;
}

/** Settings of an agent that leave no room for a context, or that its models cannot do. */
export function wrongContext({
  model: { fallbacks, summarizer, judge, ...model },
  guardrails,
}: ContextSettings): string[] {
  const { window, reserve, strategy } = guardrails.context;
  const asked = [
    { ...model, place: 'model' },
    ...fallbacks.map((one, i) => ({ ...one, place: `model.fallbacks[${i}]` })),
  ];
  const all = [
    ...asked,
    ...(summarizer ? [{ ...summarizer, place: 'model.summarizer' }] : []),
    ...(judge ? [{ ...judge, place: 'model.judge' }] : []),
  ];
  return [
    ...all
      .filter((one) => one.window !== undefined && one.maxTokens >= one.window)
      .map((one) => `${one.place}.maxTokens must be below its window of ${one.window} tokens`),
    ...(window > 0 && reserve !== 'max_tokens' && reserve >= window
      ? [`guardrails.context.reserve must be below its window of ${window} tokens`]
      : []),
    ...asked
      .filter(({ provider }) => strategy === 'server' && provider !== 'anthropic')
      .map(
        ({ place }) =>
          `guardrails.context.strategy "server" needs Anthropic's API, and ${place} has another provider: choose "staged"`,
      ),
  ];
}
