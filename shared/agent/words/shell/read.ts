import { own } from '../../plain/merge.ts';
/** The operator that joins a command to the next one. Nothing follows after `''`; nothing waits for the end of a background command (`&`). */
export type Joint = '&&' | '||' | '|' | ';' | '&' | '';

/** One simple command of a script: as it is written, with nothing expanded. */
export interface Command {
  /** Its words without quotes and redirections. */
  readonly words: readonly string[];
  /** Files that its output goes to. */
  readonly writes: readonly string[];
  /** Whether its standard output goes to a file, or nowhere. */
  readonly silent: boolean;
  /** Input that the script gives it: a here-document or here-string. */
  readonly input: string;
  readonly joint: Joint;
}

type Draft = {
  -readonly [Key in keyof Command]: Command[Key] extends readonly string[] ? string[] : Command[Key];
};

const REDIRECTION = /(\d*|&)(>>|>\||>&|>|<<<|<<-?|<&|<>|<)/y;
const OPERATOR = /&&|\|\||\|&|;;|[|&;\n()]/y;
const joints: Readonly<Record<string, Joint>> = {
  '&&': '&&',
  '||': '||',
  '|': '|',
  '|&': '|',
  '&': '&',
  ')': '',
};

/**
 * Splits a shell script as far as guards need it: the commands that it names, their order, what joins them, and where their
 * output goes. It is not a shell: nothing is expanded, and text that cannot be read is taken literally.
 */
export function readShell(script: string): Command[] {
  const commands: Draft[] = [];
  const awaited: { readonly by: Draft; readonly delimiter: string }[] = [];
  let draft = newDraft();
  let at = 0;

  const end = (joint: Joint) => {
    const last = commands.at(-1);
    if (draft.words.length > 0 || draft.writes.length > 0) {
      commands.push(Object.assign(draft, { joint }));
      draft = newDraft();
    } else if (last?.joint === '') last.joint = joint;
  };
  const word = (): string => {
    const { text, next } = readWord(script, at);
    at = next;
    return text;
  };
  const redirect = (fd: string, operator: string) => {
    // A process substitution: `<(…)`.
    if (script[at] === '(') {
      at = closing(script, at + 1, ')') + 1;
      return;
    }
    while (isBlank(script[at])) at += 1;
    const target = word();
    if (operator === '<<<') draft.input += target;
    else if (operator.startsWith('<<')) awaited.push({ by: draft, delimiter: target });
    else if (operator.startsWith('<') && operator !== '<>') return;
    else if (operator === '>&' && /^(?:\d+|-)$/.test(target)) return;
    else {
      draft.writes.push(target);
      draft.silent ||= fd === '' || fd === '1' || fd === '&';
    }
  };
  const readDocuments = () => {
    for (const { by, delimiter } of awaited.splice(0)) {
      const rest = script.slice(at);
      const close = new RegExp(`^\\t*${delimiter.replace(/[^\w\s]/g, '\\$&')}[ \\t\\r]*$`, 'm').exec(rest);
      by.input += rest.slice(0, close?.index);
      at += close ? close.index + close[0].length : rest.length;
    }
  };

  while (at < script.length) {
    const char = script[at];
    if (isBlank(char)) {
      at += 1;
      continue;
    }
    if (char === '#') {
      while (at < script.length && script[at] !== '\n') at += 1;
      continue;
    }
    const [, fd = '', redirection] = matchAt(REDIRECTION, script, at) ?? [];
    if (redirection !== undefined && compares(draft.words)) {
      at += fd.length + redirection.length;
      continue;
    }
    if (redirection !== undefined) {
      at += fd.length + redirection.length;
      redirect(fd, redirection);
      continue;
    }
    const [operator] = matchAt(OPERATOR, script, at) ?? [];
    if (operator === undefined) {
      draft.words.push(word());
      continue;
    }
    at += operator.length;
    // `((a > 1))` is arithmetic.
    if (operator === '(' && script[at] === '(' && draft.words.length === 0) {
      at = closing(script, at + 1, ')') + 2;
      draft.words.push('((');
      continue;
    }
    if (operator === '(') continue;
    end(own(joints, operator) ?? ';');
    if (operator === '\n') readDocuments();
  }
  end('');
  return commands;
}

/** Within `[[ … ]]` a `>` compares. */
const compares = (words: readonly string[]): boolean => words.includes('[[') && !words.includes(']]');
const newDraft = (): Draft => ({ words: [], writes: [], silent: false, input: '', joint: '' });
const isBlank = (char: string | undefined): boolean => char === ' ' || char === '\t' || char === '\r';

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** The word that begins at `from`, without its quotes. It is at least one character long, so that reading goes on. */
function readWord(script: string, from: number): { readonly text: string; readonly next: number } {
  let text = '';
  let at = from;
  while (at < script.length && !/[\s;&|<>()]/.test(script[at] ?? '')) {
    const char = script[at];
    if (char === '\\') {
      if (script[at + 1] !== '\n') text += script[at + 1] ?? '';
      at += 2;
    } else if (char === "'" || char === '"') {
      const close = closing(script, at + 1, char);
      const quoted = script.slice(at + 1, close);
      text +=
        char === '"' ? quoted.replace(/\\(["\\$`\n])/g, (_, kept) => (kept === '\n' ? '' : kept)) : quoted;
      at = close + 1;
    } else if (char === '`' || (char === '$' && /[({]/.test(script[at + 1] ?? ''))) {
      const inner = char === '`' ? at + 1 : at + 2;
      const close = closing(script, inner, char === '`' ? '`' : script[at + 1] === '(' ? ')' : '}');
      text += script.slice(at, close + 1);
      at = close + 1;
    } else {
      text += char;
      at += 1;
    }
  }
  return { text, next: Math.max(at, from + 1) };
}

/** Nested substitutions that are distinguished. */
const MAX_DEPTH = 20;

/** The position of the `close` that ends what begins at `from`; the script's end if there is none. */
function closing(script: string, from: number, close: string, depth = 0): number {
  const past = (inner: number, end: string): number =>
    depth < MAX_DEPTH ? closing(script, inner, end, depth + 1) + 1 : script.length;
  let at = from;
  while (at < script.length && script[at] !== close) {
    const char = script[at];
    if (close === "'") at += 1;
    else if (char === '\\') at += 2;
    else if (char === '$' && script[at + 1] === '(') at = past(at + 2, ')');
    else if (close === ')' && (char === '"' || char === "'" || char === '`')) at = past(at + 1, char);
    else if (close === ')' && char === '(') at = past(at + 1, ')');
    else at += 1;
  }
  return Math.min(at, script.length);
}
