import type { GivenCitation } from '../../agent/session/given.ts';
import { isObject, type Json, stringAt } from '../common/json.ts';

/** Most citations that are kept of one reply, and most characters of each text in them. */
const MOST = 50;
const CHARS = 500;

/**
 * Adds the sources that a delta or a message cites to those before. OpenAI and OpenRouter report them as `annotations`
 * of the kind `url_citation` (openrouter.ai/docs/guides/features/server-tools/web-search, "Parsing web search
 * results").
 */
export function withCitations(
  before: readonly GivenCitation[],
  { annotations }: Json,
): readonly GivenCitation[] {
  if (!Array.isArray(annotations)) return before;
  const cited = annotations.filter(isObject).flatMap(citationIn);
  return cited.length === 0 ? before : [...before, ...cited].slice(0, MOST);
}

function citationIn(annotation: Json): GivenCitation[] {
  const said = annotation.url_citation;
  if (annotation.type !== 'url_citation' || !isObject(said)) return [];
  const url = stringAt(said, 'url');
  if (url === undefined) return [];
  const title = stringAt(said, 'title');
  const text = stringAt(said, 'content');
  return [
    {
      url: shown(url),
      ...(title !== undefined && { title: shown(title) }),
      ...(text !== undefined && { cited_text: shown(text) }),
    },
  ];
}

const shown = (text: string): string => text.slice(0, CHARS).toWellFormed();
