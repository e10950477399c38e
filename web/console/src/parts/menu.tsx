import { type ReactNode, useRef, useState } from 'react';

/** A button that opens a panel below it. Escape, or moving the focus elsewhere, closes it. */
export function Menu({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  const place = useRef<HTMLDetailsElement>(null);
  const summary = useRef<HTMLElement>(null);
  const [isOpen, setOpen] = useState(false);
  const close = () => place.current?.removeAttribute('open');
  return (
    <details
      ref={place}
      className="menu"
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      onBlur={({ relatedTarget }) => {
        if (relatedTarget && !place.current?.contains(relatedTarget)) close();
      }}
      onKeyDown={({ key }) => {
        if (key !== 'Escape' || !place.current?.open) return;
        close();
        summary.current?.focus();
      }}
    >
      <summary ref={summary}>{label}</summary>
      {isOpen && <div className="panel stack">{children}</div>}
    </details>
  );
}
