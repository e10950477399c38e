import { estimateTokens } from '../../shared/agent/context/estimate.ts';
import { foldTexts } from '../../shared/agent/context/texts.ts';
import type { ModelRequest } from '../../shared/agent/ports/provider.ts';
import type { ModelOutcome } from '../../shared/agent/session/reply.ts';
import {
  type Answering,
  answeringModel,
  changed,
  type Scripted,
  type ScriptedModel,
  says,
  scriptedModel,
} from '../../testing/scripted-model.ts';

/**
 * A scripted model that counts tokens as a server does, refuses requests beyond its window, and answers requests for
 * summaries.
 */
export interface FoldingModel extends ScriptedModel {
  /** Requests for a summary. The script does not answer these. */
  readonly summaries: readonly ModelRequest[];
  /** Requests that it refused as too long. They take no step of the script. */
  readonly refused: readonly ModelRequest[];
}

export interface FoldingOptions {
  /** The largest number of tokens in a request; no limit by default. */
  readonly window?: number;
  /** The answer to each request for a summary. */
  readonly sumUp?: Scripted;
}

export const foldingModel = (options: FoldingOptions, ...script: Scripted[]): FoldingModel =>
  folding(options, scriptedModel(...script));

/** The same, with a function that answers everything except requests for summaries. */
export const answeringFolds = (options: FoldingOptions, answer: Answering): FoldingModel =>
  folding(options, answeringModel(answer));

function folding(options: FoldingOptions, model: ScriptedModel): FoldingModel {
  const summaries: ModelRequest[] = [];
  const refused: ModelRequest[] = [];
  const { window = Number.POSITIVE_INFINITY, sumUp = says('Task: as told.') } = options;
  return {
    ...model,
    summaries,
    refused,
    async complete(request, onDelta, signal) {
      const tokens = estimateTokens(request);
      if (tokens > window) {
        refused.push(structuredClone(request));
        return tooLong(tokens, window);
      }
      if (!demandsIn(request)) return counted(await model.complete(request, onDelta, signal), tokens);
      summaries.push(structuredClone(request));
      return counted(await scriptedModel(sumUp).complete(request, onDelta, signal), tokens);
    },
  };
}

/** How servers refuse a request that is too long. */
export const tooLong = (sent: number, most: number): ModelOutcome => ({
  kind: 'failed',
  failure: {
    ...{ kind: 'too_long', code: 'context_limit', sent, most },
    message: `prompt is too long: ${sent} tokens > ${most} maximum`,
  },
});

const FIRST_WORDS = foldTexts.sumUp(0).slice(0, 40);

/** The text that a request for a summary demands; undefined for any other request. */
export function demandsIn({ messages }: ModelRequest): string | undefined {
  const last = messages.at(-1)?.content.at(-1);
  return last?.type === 'text' && String(last.text).startsWith(FIRST_WORDS) ? String(last.text) : undefined;
}

/** The reply with the token counts of a server. */
function counted(outcome: ModelOutcome, input: number): ModelOutcome {
  if (outcome.kind === 'failed') return outcome;
  const output = Math.ceil(JSON.stringify(outcome.reply.content).length / 4);
  return changed(outcome, { usage: { input, output, cacheRead: 0, cacheWrite: 0 } });
}
