import type { Parsing } from '../../config/replies.ts';
import type { EventStream } from '../../events/stream.ts';
import type { Delta } from '../../ports/provider.ts';
import { reasoningSplitter } from './reasoning.ts';

/**
 * Turns the pieces of one streamed reply into events. The text is one message, started once and ended once, however often
 * thinking comes between; each stretch of thinking is a message of its own.
 */
export interface Voice {
  say(delta: Delta): void;
  /** Ends what is open. */
  end(): void;
  /** Ends what is open, and tells clients to drop the text. */
  takeBack(why: string): void;
}

export function openVoice(
  messageId: string,
  stream: EventStream,
  { reasoningTags }: Pick<Parsing, 'reasoningTags'>,
): Voice {
  const splitter = reasoningTags === 'strip' ? reasoningSplitter() : undefined;
  const told: string[] = [];
  let textOpen = false;
  let blank = '';
  let thinkingOpen: string | undefined;

  const endThinking = () => {
    if (thinkingOpen) stream.emit({ type: 'REASONING_MESSAGE_END', messageId: thinkingOpen });
    thinkingOpen = undefined;
  };
  const tell = ({ kind, text }: Delta) => {
    if (text === '') return;
    if (kind === 'text') sayText(text);
    else sayThinking(text);
  };
  const end = () => {
    for (const rest of splitter?.end() ?? []) tell(rest);
    endThinking();
    if (textOpen) stream.emit({ type: 'TEXT_MESSAGE_END', messageId });
    textOpen = false;
  };
  const sayText = (said: string) => {
    // History stores no blank text, so a message must not begin with any.
    const text = blank + said;
    blank = textOpen || text.trim() !== '' ? '' : text;
    if (blank !== '') return;
    endThinking();
    if (!textOpen) {
      told.push(messageId);
      stream.emit({ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' });
    }
    textOpen = true;
    stream.emit({ type: 'TEXT_MESSAGE_CONTENT', messageId, delta: text });
  };
  const sayThinking = (text: string) => {
    if (!thinkingOpen) {
      thinkingOpen = `${messageId}-thinking-${told.length}`;
      told.push(thinkingOpen);
      stream.emit({ type: 'REASONING_MESSAGE_START', messageId: thinkingOpen, role: 'reasoning' });
    }
    stream.emit({ type: 'REASONING_MESSAGE_CONTENT', messageId: thinkingOpen, delta: text });
  };

  return {
    say(delta) {
      const pieces = delta.kind === 'text' && splitter ? splitter.push(delta.text) : [delta];
      for (const piece of pieces) tell(piece);
    },
    end,
    takeBack(why) {
      end();
      if (told.length === 0) return;
      stream.emit({ type: 'CUSTOM', name: 'steploop.aborted', value: { messageIds: told, why } });
    },
  };
}
