import type { SessionRow, SnapshotMessage } from '../../../client/index.ts';

/** A place where the text was found, with what stands around it. */
export interface Match {
  readonly where: string;
  readonly before: string;
  readonly text: string;
  readonly after: string;
}

/** Characters that are shown on either side. */
const AROUND = 60;
/** Matches of a session that are shown. */
export const MOST_MATCHES = 3;

/** The text as a pattern, in any case. Runs of white space match each other, so a text may go over lines. */
export const patternOf = (text: string): RegExp =>
  new RegExp(
    text
      .trim()
      .split(/\s+/)
      .map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
      .join('\\s+'),
    'iu',
  );

/** The first matches in a session: its title, then its messages, calls and results in order. Pure. */
export function matchesIn(
  pattern: RegExp,
  { title }: Pick<SessionRow, 'title'>,
  messages: readonly SnapshotMessage[],
): Match[] {
  const found: Match[] = [];
  const names = new Map<string, string>();
  const look = (where: string, text = '') => {
    for (const seen of found.length === MOST_MATCHES ? [] : [text, unescaped(text)]) {
      const match = pattern.exec(seen);
      if (match) return void found.push(aroundOf(where, seen, match.index, match[0]));
    }
  };
  look('Title', title);
  for (const message of messages) {
    switch (message.role) {
      case 'user':
        look('User', message.content);
        break;
      case 'assistant':
        look('Agent', message.content);
        for (const { id, function: called } of message.toolCalls ?? []) {
          names.set(id, called.name);
          look(`Call of ${called.name}`, called.name);
          look(`Call of ${called.name}`, called.arguments);
        }
        break;
      case 'tool':
        look(`Result of ${names.get(message.toolCallId) ?? 'a call'}`, message.content);
        break;
      case 'activity':
        // A compaction repeats what stands above it.
        break;
      default:
        message satisfies never;
    }
  }
  return found;
}

/** The strings of a JSON text as people write them, without escapes, one a line; empty if it has none that are escaped. */
function unescaped(text: string): string {
  if (!text.includes('\\')) return '';
  const strings: string[] = [];
  try {
    JSON.parse(text, (_, value) => {
      if (typeof value === 'string') strings.push(value);
      return value;
    });
  } catch {
    return '';
  }
  return strings.join('\n');
}

function aroundOf(where: string, text: string, at: number, matched: string): Match {
  const [from, end] = [Math.max(0, at - AROUND), at + matched.length];
  return {
    ...{ where, text: matched },
    before: `${from > 0 ? '…' : ''}${text.slice(from, at)}`,
    after: `${text.slice(end, end + AROUND)}${end + AROUND < text.length ? '…' : ''}`,
  };
}
