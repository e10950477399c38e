import type { AgUiEvent, Citation, ServerToolCall } from '../../contract/events.ts';
import { isRecord } from '../plain/merge.ts';
import { givenOf } from '../session/given.ts';
import type { Block } from '../session/slots.ts';

/** Calls and citations of one reply that are told, and characters of each text in them. The reply itself has all of them. */
export const MOST_TOLD = 50;
const CHARS = 500;

/**
 * The events for the tools that the model's server ran for a reply, and for the sources that the reply cites. Empty if there
 * are none.
 *
 * @param messageId of the reply
 */
export function serverToolsIn(messageId: string, content: readonly Block[]): AgUiEvent[] {
  const calls = content.flatMap((block) => (isCall(block) ? [toCall(block, content)] : []));
  const citations = content.flatMap((block) =>
    [block.citations, givenOf(block).citations].flatMap((own) =>
      Array.isArray(own) ? own.flatMap(toCitation) : [],
    ),
  );
  if (calls.length + citations.length === 0) return [];
  const value = { messageId, calls: calls.slice(0, MOST_TOLD), citations: citations.slice(0, MOST_TOLD) };
  return [{ type: 'CUSTOM', name: 'steploop.server_tools', value }];
}

const isCall = ({ type }: Block): boolean => type === 'server_tool_use' || type === 'mcp_tool_use';

function toCall({ id, name, input }: Block, content: readonly Block[]): ServerToolCall {
  const result = content.find(({ tool_use_id: of }) => of !== undefined && of === id);
  return {
    id: shown(id),
    name: shown(name),
    input: shown(JSON.stringify(input ?? {})),
    outcome: result === undefined ? 'open' : isError(result) ? 'error' : 'ok',
  };
}

const isError = ({ is_error: failed, content }: Block): boolean =>
  failed === true || (isRecord(content) && String(content.type).endsWith('_error'));

function toCitation(citation: unknown): Citation[] {
  if (!isRecord(citation)) return [];
  const { url, title, document_title: document, cited_text: text } = citation;
  return [
    {
      ...(typeof url === 'string' && { url: shown(url) }),
      ...(typeof (title ?? document) === 'string' && { title: shown(title ?? document) }),
      ...(typeof text === 'string' && { text: shown(text) }),
    },
  ];
}

/** A text as it is told. */
export const shown = (value: unknown): string => String(value).slice(0, CHARS).toWellFormed();
