import { isObject, type Json, stringAt } from '../common/json.ts';

/** A stretch of a delta's or a message's content. */
export interface ContentPiece {
  readonly kind: 'text' | 'thinking' | 'refusal';
  readonly text: string;
  /** For thinking: the field in which it came, to be sent back there. */
  readonly as?: string;
}

/**
 * Fields beside the content in which servers send the model's thinking: those of DeepSeek and others, and of
 * OpenRouter, Groq and Ollama.
 */
const THOUGHTS = ['reasoning_content', 'reasoning'] as const;

/**
 * The content of a delta or a message, in order. Content is text, or a list of parts, in which Mistral includes the
 * model's thinking.
 */
export function saidIn(delta: Json): readonly ContentPiece[] {
  const as = THOUGHTS.find((field) => stringAt(delta, field) !== undefined);
  const refusal = stringAt(delta, 'refusal');
  return [
    ...(as ? [{ kind: 'thinking', text: String(delta[as]), as } as const] : []),
    ...contentIn(delta.content),
    ...(refusal === undefined ? [] : [{ kind: 'refusal', text: refusal } as const]),
  ];
}

function contentIn(content: unknown): readonly ContentPiece[] {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isObject).flatMap(partIn) : [];
}

/** A part of an unknown kind counts as its text. */
function partIn(part: Json): ContentPiece[] {
  if (part.type === 'thinking') {
    const text = textOf(part.thinking);
    return text === '' ? [] : [{ kind: 'thinking', text, as: 'parts' }];
  }
  const refusal = stringAt(part, 'refusal');
  if (part.type === 'refusal' && refusal !== undefined) return [{ kind: 'refusal', text: refusal }];
  const text = stringAt(part, 'text');
  return text === undefined ? [] : [{ kind: 'text', text }];
}

/** Thinking is a text, or a list of parts. */
function textOf(thinking: unknown): string {
  if (typeof thinking === 'string') return thinking;
  if (!Array.isArray(thinking)) return '';
  return thinking.map((part) => (isObject(part) ? (stringAt(part, 'text') ?? '') : '')).join('');
}
