import type { ReactNode } from 'react';

interface ScrolledTableProps {
  /** Its name for screen readers. */
  readonly label: string;
  readonly children: ReactNode;
}

/** A table that scrolls sideways where it is wider than the page, also by keys. */
export const ScrolledTable = ({ label, children }: ScrolledTableProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it only if it can be focused
  <section tabIndex={0} aria-label={label} className="wide">
    <table>{children}</table>
  </section>
);
