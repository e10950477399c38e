import type { Billing } from '../../agent/session/billing.ts';
import { objectAt, stringAt } from '../common/json.ts';
import type { ItemDraft } from './drafts.ts';

/**
 * Adds what the server's own tools cost. A search is charged by the call, and opening a page is not
 * (developers.openai.com/api/docs/pricing, "Built-in tools"); a container is charged by its time.
 */
export function withServices(
  drafts: readonly ItemDraft[],
  billing: Billing | undefined,
): { readonly webSearches: number; readonly billing: Billing | undefined } {
  const webSearches = drafts.filter(isSearch).length;
  if (!drafts.some(({ type }) => type === 'code_interpreter_call')) return { webSearches, billing };
  return { webSearches, billing: { ...billing, unpriced: [...(billing?.unpriced ?? []), 'code_execution'] } };
}

const isSearch = ({ type, item }: ItemDraft): boolean =>
  type === 'web_search_call' && (stringAt(objectAt(item, 'action'), 'type') ?? 'search') === 'search';
