import { searchFacts } from '../../memories/search.ts';
import { isRecord } from '../../plain/merge.ts';
import type { PinnedTool } from '../../session/pinned.ts';

/** Characters of one search's result. Tools beyond that are named without their schemas. */
const MAX_CHARS = 24_000;
/** Characters of a description in a result. */
const MAX_DESCRIPTION = 1_000;
/** Characters of a tool that are searched. */
const MAX_SEARCHED = 2_000;

/**
 * The tools that fit a query best, as the model reads them. The search is by words: it covers names, descriptions and arguments,
 * and other forms of a word too. The same query over the same tools gives the same text. Pure.
 */
export function findTools(tools: readonly PinnedTool[], query: string, limit: number, call: string): string {
  const searched = tools.map((tool, i) => ({ tool, text: wordsOf(tool), at: -i }));
  const found = searchFacts(searched, split(query))
    .slice(0, limit)
    .map(({ tool }) => tool);
  if (found.length === 0)
    return `None of ${tools.length} tools fits. Try other words: what the tool does, or the name of the service.`;
  let room = MAX_CHARS;
  const lines = found.map(({ name, description, input_schema }) => {
    const brief = { name, description: description.slice(0, MAX_DESCRIPTION).toWellFormed() };
    const whole = JSON.stringify({ ...brief, input_schema });
    room -= whole.length;
    return room >= 0
      ? whole
      : JSON.stringify({ ...brief, note: 'its schema is too long: search for this name alone' });
  });
  return `Call these with ${call}, by name:\n${lines.join('\n')}`;
}

/** The searched text of a tool. Its name counts three times: a model that knows the service asks for it by its words. */
function wordsOf({ name, description, input_schema: { properties } }: PinnedTool): string {
  const words = split(name);
  const names = isRecord(properties) ? Object.keys(properties).map(split).join(' ') : '';
  return `${words} ${words} ${words} ${description} ${names}`.slice(0, MAX_SEARCHED);
}

/** `createPullRequest` as three words. */
const split = (name: string): string =>
  name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, ' ').replaceAll(/[_-]+/g, ' ');
