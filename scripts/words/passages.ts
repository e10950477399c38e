/** The prose of a file: Markdown by paragraph, code by comment and by string. */
export function passagesOf(path: string, text: string): string[] {
  return path.endsWith('.md') ? paragraphs(text) : [...comments(text), ...strings(text)];
}

const paragraphs = (text: string): string[] =>
  text
    .replace(/^```.*?^```/gms, '')
    .split(/\n\s*\n|\n(?=\s*(?:[-*|#>]|\d+\.) )/)
    .map(joined);

const COMMENT = /\/\*\*?(.*?)\*\/|(?:^|\s)\/\/ ([^\n]*(?:\n\s*\/\/ [^\n]*)*)/gs;

/** Comments, each joined over its lines: a sentence may go on below. */
const comments = (text: string): string[] =>
  [...text.matchAll(COMMENT)].map(([, block, lines]) =>
    joined((block ?? lines ?? '').replace(/^\s*(?:\*|\/\/) ?/gm, '')),
  );

const strings = (text: string): string[] =>
  [...text.replace(COMMENT, '').matchAll(/'(?:[^'\\\n]|\\.){12,}'|`(?:[^`\\]|\\.){12,}`/g)].map(([found]) =>
    joined(found.slice(1, -1)),
  );

const joined = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^(?:[-*>#|]+|\d+\.) /, '');
