/** Interfaces with their docstrings, read from TypeScript source, since types do not exist at run time. */

/** One key of an interface, or of an inline object type. */
export interface Member {
  readonly name: string;
  readonly optional: boolean;
  /** The type as written, on one line. */
  readonly type: string;
  readonly doc: string;
  /** The texts after `@config` and after `@default` in its docstring. */
  readonly config: string | undefined;
  readonly preset: string | undefined;
  /** Members of an inline object type. */
  readonly members: readonly Member[];
}

/** The members of the interface of this name. Throws if the source has none. */
export function membersOf(source: string, name: string): Member[] {
  const at = new RegExp(`^export interface ${name}(?:<[^{]*>)?(?:\\s+extends [^{]+)? \\{`, 'm').exec(source);
  if (!at) throw new Error(`no interface ${name}`);
  return readMembers(source, at.index + at[0].length).members;
}

/**
 * The kind of an exported declaration, its docstring, and the members of an interface. Undefined if the source has
 * none.
 */
export function declarationOf(source: string, name: string) {
  const at = new RegExp(
    `(?:/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\n(?://.*\\n)*)?export (?:async )?(interface|type|class|const|function) ${name}\\b`,
  ).exec(source);
  if (!at) return undefined;
  const kind = at[2] ?? '';
  return {
    kind,
    doc: plainDoc(at[1] ?? '').doc,
    members: kind === 'interface' ? membersOf(source, name) : [],
  };
}

/** Reads members from after a brace up to the one that closes it. */
function readMembers(source: string, start: number): { readonly members: Member[]; readonly end: number } {
  const members: Member[] = [];
  let comment = '';
  for (let i = start; i < source.length; ) {
    const rest = source.slice(i);
    const skipped = /^(?:\s+|;|,|\/\/.*)/.exec(rest)?.[0];
    const said = /^\/\*\*([\s\S]*?)\*\//.exec(rest);
    const head = /^(?:readonly )?'?([\w.$]+)'?(\?)?(?:: |:\n\s*|(?=[(<]))/.exec(rest);
    if (skipped) i += skipped.length;
    else if (said) {
      comment = said[1] ?? '';
      i += said[0].length;
    } else if (rest.startsWith('}')) return { members, end: i };
    else if (head) {
      i += head[0].length;
      const end = endOfType(source, i);
      const written = source.slice(i, end);
      members.push({
        name: head[1] ?? '',
        optional: head[2] !== undefined,
        type: written
          .replaceAll(/\/\*\*[\s\S]*?\*\//g, '')
          .replaceAll(/\s+/g, ' ')
          .replace(/^\| /, '')
          .trim(),
        ...plainDoc(comment),
        members: /^\{(?!\s*(?:readonly )?\[)/.test(written) ? readMembers(source, i + 1).members : [],
      });
      comment = '';
      i = end;
    } else throw new Error(`cannot read: ${rest.slice(0, 60)}`);
  }
  throw new Error('an interface without an end');
}

/** The end of a type: a semicolon or brace at its own level. */
function endOfType(source: string, start: number): number {
  let depth = 0;
  for (let i = start; i < source.length; i++) {
    const skipped = /^(?:\/\*[\s\S]*?\*\/|'[^'\n]*'|=>)/.exec(source.slice(i, i + 2_000))?.[0];
    if (skipped) i += skipped.length - 1;
    else if ('([{<'.includes(source[i] ?? '')) depth += 1;
    else if (')]}>'.includes(source[i] ?? '')) {
      if (depth === 0) return i;
      depth -= 1;
    } else if (source[i] === ';' && depth === 0) return i;
  }
  return source.length;
}

function plainDoc(comment: string): Pick<Member, 'doc' | 'config' | 'preset'> {
  const text = comment
    .replaceAll(/\s*\n\s*\*? ?/g, ' ')
    .replaceAll(/\{@link ([\w.]+)\}/g, '`$1`')
    .replaceAll(/ {2,}/g, ' ')
    .trim();
  const behind = (tag: string) => new RegExp(`@${tag} ([^@]*)`).exec(text)?.[1]?.trim();
  return {
    doc: text.replace(/@[\s\S]*$/, '').trim(),
    config: behind('config'),
    preset: behind('default')?.replace(/^- /, ''),
  };
}
