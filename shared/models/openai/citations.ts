import { MOST_TOLD, shown } from '../../agent/events/server-tools.ts';
import type { GivenCitation } from '../../agent/session/given.ts';
import { isObject, type Json, stringAt } from '../common/json.ts';

/**
 * Adds the sources that a delta or a message cites to those before. OpenAI and OpenRouter report them as `annotations`
 * of the kind `url_citation` (openrouter.ai/docs/guides/features/server-tools/web-search, "Parsing web search
 * results"). In the Responses API the fields stand in the annotation itself. No more of them is kept than people are
 * told.
 */
export function withCitations(
  before: readonly GivenCitation[],
  { annotations }: Json,
): readonly GivenCitation[] {
  if (!Array.isArray(annotations)) return before;
  const cited = annotations.filter(isObject).flatMap(citationIn);
  return cited.length === 0 ? before : [...before, ...cited].slice(0, MOST_TOLD);
}

function citationIn(annotation: Json): GivenCitation[] {
  if (annotation.type !== 'url_citation') return [];
  const said = isObject(annotation.url_citation) ? annotation.url_citation : annotation;
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
