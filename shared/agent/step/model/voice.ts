import type { Parsing } from '../../config/replies.ts';
import type { EventStream } from '../../events/stream.ts';
import type { Delta } from '../../ports/provider.ts';
import { type Piece, reasoningSplitter } from './reasoning.ts';

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
  /** The id of the text's message. A text that follows retracted text has another than the first. */
  messageId(): string;
}

export function openVoice(
  firstId: string,
  stream: EventStream,
  { reasoningTags }: Pick<Parsing, 'reasoningTags'>,
): Voice {
  const splitter = reasoningTags === 'strip' ? reasoningSplitter() : undefined;
  const told: string[] = [];
  let messageId = firstId;
  let textOpen = false;
  let said = '';
  let retracted = 0;
  let blank = '';
  let thinkingOpen: string | undefined;

  const endThinking = () => {
    if (thinkingOpen) stream.emit({ type: 'REASONING_MESSAGE_END', messageId: thinkingOpen });
    thinkingOpen = undefined;
  };
  const endText = () => {
    if (textOpen) stream.emit({ type: 'TEXT_MESSAGE_END', messageId });
    textOpen = false;
  };
  const tell = (piece: Piece) => {
    switch (piece.kind) {
      case 'text':
        return piece.text === '' ? undefined : sayText(piece.text);
      case 'thinking':
        return piece.text === '' ? undefined : sayThinking(piece.text);
      case 'all_thinking':
        return retractText();
      default:
        return piece satisfies never;
    }
  };
  const retractText = () => {
    blank = '';
    if (said === '') return;
    endText();
    endThinking();
    const value = { messageIds: [messageId], why: 'the text so far was thinking' };
    stream.emit({ type: 'CUSTOM', name: 'steploop.aborted', value });
    sayThinking(said);
    endThinking();
    said = '';
    retracted += 1;
    messageId = `${firstId}-after-thinking-${retracted}`;
  };
  const end = () => {
    for (const rest of splitter?.end() ?? []) tell(rest);
    endThinking();
    endText();
  };
  const sayText = (piece: string) => {
    // History stores no blank text, so a message must not begin with any.
    const text = blank + piece;
    blank = textOpen || text.trim() !== '' ? '' : text;
    if (blank !== '') return;
    endThinking();
    if (!textOpen) {
      told.push(messageId);
      stream.emit({ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' });
    }
    textOpen = true;
    if (splitter) said += text;
    stream.emit({ type: 'TEXT_MESSAGE_CONTENT', messageId, delta: text });
  };
  const sayThinking = (text: string) => {
    if (!thinkingOpen) {
      thinkingOpen = `${firstId}-thinking-${told.length}`;
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
    messageId: () => messageId,
    takeBack(why) {
      end();
      if (told.length === 0) return;
      stream.emit({ type: 'CUSTOM', name: 'steploop.aborted', value: { messageIds: told, why } });
    },
  };
}
