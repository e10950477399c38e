import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useEffect, useRef } from 'react';
import type { Item, View } from '../../../client/index.ts';
import { SafeMarkdown } from '../parts/markdown.tsx';
import { plain } from '../parts/plain.ts';
import { count } from '../parts/words.ts';
import { Call } from './call.tsx';
import { Edit } from './edit.tsx';

/** Px from the end within which the view follows new text. */
const NEAR = 80;

interface ConversationProps {
  readonly sessionId: string;
  readonly view: View;
}

/** The conversation, as it arrives. Only visible items are rendered. */
export function Conversation({ sessionId, view }: ConversationProps) {
  const place = useRef<HTMLElement>(null);
  const follows = useRef(true);
  const { items } = view;
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => place.current,
    estimateSize: () => 96,
    getItemKey: (index) => items[index]?.id ?? index,
    overscan: 6,
    gap: 12,
  });
  const height = rows.getTotalSize();
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs whenever the conversation has grown
  useEffect(() => {
    const scroller = place.current;
    if (scroller && follows.current) scroller.scrollTop = scroller.scrollHeight;
  }, [height, view]);

  return (
    <section
      ref={place}
      className="conversation"
      aria-label="Conversation"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keys
      tabIndex={0}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        follows.current = scrollHeight - scrollTop - clientHeight < NEAR;
      }}
    >
      {items.length === 0 && <p className="dim">No messages yet.</p>}
      <ol className="virtual" style={{ height }}>
        {rows.getVirtualItems().map(({ key, index, start }) => {
          const item = items[index];
          if (!item) return null;
          return (
            <li
              key={key}
              ref={rows.measureElement}
              data-index={index}
              style={{ transform: `translateY(${start}px)` }}
            >
              <Line sessionId={sessionId} item={item} />
            </li>
          );
        })}
      </ol>
      {view.folding && (
        <p role="status" className="dim">
          Compacting the context …
        </p>
      )}
    </section>
  );
}

const roles = { user: 'User', assistant: 'Agent', reasoning: 'Reasoning' } as const;

const Line = memo(function Line({ sessionId, item }: { readonly sessionId: string; readonly item: Item }) {
  switch (item.kind) {
    case 'message':
      if (item.role === 'reasoning')
        return (
          <details className="message reasoning" open={item.open}>
            <summary>Reasoning</summary>
            <p className="plain">{item.text}</p>
          </details>
        );
      return (
        <article className={`message ${item.role}`} aria-busy={item.open}>
          <p className="who">{roles[item.role]}</p>
          {/* A user's message is shown as it was typed. */}
          {item.role === 'user' ? (
            <p className="plain">{plain(item.text)}</p>
          ) : (
            <SafeMarkdown text={item.text} />
          )}
          {item.role === 'user' && <Edit sessionId={sessionId} messageId={item.id} text={item.text} />}
        </article>
      );
    case 'call':
      return <Call call={item} />;
    case 'fold':
      return (
        <details className="fold">
          <summary>
            From here on the model reads {count(item.folded.tokens.after)} tokens instead of{' '}
            {count(item.folded.tokens.before)}
          </summary>
          <p className="plain">
            {item.folded.summary ?? `${item.folded.left.messages} messages were left out.`}
          </p>
        </details>
      );
    default:
      return item satisfies never;
  }
});
