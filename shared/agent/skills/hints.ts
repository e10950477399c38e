/** Signs that a skill's text may work against its reader. People decide: a manual about security may name all of them. */

/** A sign, and what a person should look at. */
export interface Hint {
  /** Line, from 1. */
  readonly line: number;
  readonly text: string;
}

/**
 * Invisible characters: zero-width ones, marks that change the reading direction, and Unicode's tags, in which whole sentences
 * can be hidden. Joiners between emoji are ordinary, and so is a byte order mark at the beginning.
 */
const INVISIBLE =
  /[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\u{e0000}-\u{e007f}]|(?<!^)\ufeff/u;

/** Expressions, and the sentence that is told about a line that fits. */
const signs: readonly (readonly [RegExp, string])[] = [
  [
    /\b(?:ignore|disregard|forget|override)\b.{0,30}\b(?:previous|prior|earlier|above|all|other|your|system)\b.{0,30}\b(?:instructions?|prompts?|rules?|messages?|guidelines?)\b/i,
    'tells its reader to ignore other instructions',
  ],
  [
    /\b(?:do not|don't|never|without)\b.{0,20}\b(?:tell|telling|inform|informing|mention|mentioning|reveal|show|notify|ask|asking)\b.{0,25}\b(?:the )?(?:user|human|person|people|owner|operator|anyone|approval|permission|confirmation)\b/i,
    'tells its reader to keep something from people, or not to ask them',
  ],
  [
    /\b(?:bypass|skip|disable|circumvent|turn off|get around)\b.{0,30}\b(?:approvals?|guards?|guardrails?|polic(?:y|ies)|permissions?|safety|confirmations?|sandbox)\b/i,
    'tells its reader to get around approvals or guards',
  ],
  [/<\/?(?:system|human|assistant)>|<\|[a-z_]+\|>|\[\/?INST\]/i, 'imitates the marks of a prompt'],
  [
    /\b(?:curl|wget|fetch)\b[^|]{0,200}\|\s*(?:sudo\s+)?(?:ba|z|k|da)?sh\b|\beval\b.{0,20}\$\(\s*(?:curl|wget)|\biex\b.{0,80}\b(?:irm|iwr|DownloadString)\b|\bbase64\b.{0,20}\s(?:-d|--decode)\b[^|]{0,80}\|\s*(?:ba|z)?sh\b/i,
    'downloads or decodes a program and runs it',
  ],
  [
    /~\/\.(?:ssh|aws|config\/gcloud|kube|netrc|npmrc|docker)\b|\b(?:id_rsa|id_ed25519)\b|\bAWS_SECRET_ACCESS_KEY\b|\/etc\/(?:passwd|shadow)\b|169\.254\.169\.254/,
    'names a place where secrets are kept',
  ],
  [/(?:[A-Za-z0-9+/]{120,}={0,2})/, 'has a long encoded text, which people cannot read'],
];

/** A longer line is searched in pieces of this many characters, so that the work grows with the text and no faster. */
const PIECE = 1_000;
/** Words of an HTML comment that are not shown where Markdown is. */
const COMMENT_WORDS = 8;

/**
 * The signs in a text, each kind once, with the line of its first appearance.
 *
 * @param isMarkdown whether comments count, which people do not see on a rendered page
 */
export function hintsIn(text: string, isMarkdown = true): Hint[] {
  const found = new Map<string, Hint>();
  const note = (line: number, said: string) => {
    if (!found.has(said)) found.set(said, { line, text: said });
  };
  for (const [i, line] of text.split('\n').entries()) {
    if (INVISIBLE.test(i === 0 ? line.replace(/^\ufeff/, '') : line))
      note(i + 1, 'has characters that cannot be seen');
    for (let at = 0; at < line.length; at += PIECE)
      for (const [sign, said] of signs) if (sign.test(line.slice(at, at + PIECE))) note(i + 1, said);
  }
  for (const { line, words } of isMarkdown ? commentsIn(text) : [])
    if (words >= COMMENT_WORDS) note(line, 'has sentences in a comment, which a rendered page does not show');
  return [...found.values()].sort((a, b) => a.line - b.line);
}

function commentsIn(text: string): { line: number; words: number }[] {
  const comments: { line: number; words: number }[] = [];
  let line = 1;
  let at = 0;
  for (let from = text.indexOf('<!--'); from >= 0; from = text.indexOf('<!--', at)) {
    line += breaksIn(text.slice(at, from));
    const end = text.indexOf('-->', from);
    const inside = text.slice(from + 4, end < 0 ? undefined : end);
    comments.push({ line, words: inside.split(/\s+/).filter(Boolean).length });
    if (end < 0) break;
    line += breaksIn(text.slice(from, end));
    at = end;
  }
  return comments;
}

const breaksIn = (text: string): number => text.split('\n').length - 1;
