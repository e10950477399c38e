/** Most characters of a pattern. */
const MAX_PATTERN = 500;

/**
 * A glob as a regular expression in the syntax of RE2, which matches in linear time: libraries produce one for the
 * platform's engine, where `*a*a*a*a*b` may take minutes. Supports `*`, `?`, `**`, `[a-z]`, `[!a-z]` and `{a,b}`. A
 * pattern without a slash matches in every folder. Throws if the pattern is invalid. Pure.
 */
export function globToRe2(pattern: string): string {
  if (pattern.length > MAX_PATTERN) throw new Error(`A pattern has at most ${MAX_PATTERN} characters.`);
  const plain = pattern.replace(/^(?:\.?\/)+(?:workspace\/)?/, '');
  const anywhere = plain.includes('/') || plain !== pattern ? plain : `**/${plain}`;
  return `^${translated(anywhere.endsWith('/') ? `${anywhere}**` : anywhere)}$`;
}

function translated(glob: string): string {
  let source = '';
  let depth = 0;
  for (let i = 0; i < glob.length; ) {
    const rest = glob.slice(i);
    const special = /^(?:\*\*\/|\*\*|\*|\?|\[[!^]?\]?[^\]/]*\]|\{|\}|,|\\.)/su.exec(rest)?.[0];
    const taken = special ?? String.fromCodePoint(rest.codePointAt(0) ?? 0);
    i += taken.length;
    if (taken === '**/') source += '(?:.*/)?';
    else if (taken === '**') source += '.*';
    else if (taken === '*') source += '[^/]*';
    else if (taken === '?') source += '[^/]';
    else if (taken.length > 1 && taken.startsWith('[')) source += classOf(taken);
    else if (taken === '{') {
      depth += 1;
      source += '(?:';
    } else if (taken === '}' && depth > 0) {
      depth -= 1;
      source += ')';
    } else if (taken === ',' && depth > 0) source += '|';
    else source += escaped(taken.length > 1 && taken.startsWith('\\') ? taken.slice(1) : taken);
  }
  if (depth > 0) throw new Error('A "{" of the pattern is not closed.');
  return source;
}

/** `[!a-z]` as `[^a-z]`; other characters in the class are literal. */
function classOf(glob: string): string {
  const inner = glob.slice(1, -1);
  const negated = inner.startsWith('!') || inner.startsWith('^');
  const members = (negated ? inner.slice(1) : inner).replace(/[\\[\]^&~]/g, '\\$&');
  return `[${negated ? '^/' : ''}${members}]`;
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
