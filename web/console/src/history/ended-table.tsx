import type { Figures } from '../../../client/index.ts';
import { ScrolledTable } from '../parts/scrolled-table.tsx';
import { count, reasonWords } from '../parts/words.ts';

interface EndedTableProps {
  readonly reasons: Figures['reasons'];
  readonly runs: number;
}

/** How runs ended, the most frequent first. */
export function EndedTable({ reasons, runs }: EndedTableProps) {
  if (runs === 0) return null;
  return (
    <section aria-label="How runs ended">
      <h2>How runs ended</h2>
      <ScrolledTable label="Reasons">
        <thead>
          <tr>
            <th scope="col">Reason</th>
            <th scope="col">Runs</th>
            <th scope="col">
              <span className="hidden">Share</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {reasons.map(({ reason, runs: n }) => (
            <tr key={reason}>
              <th scope="row">{reason === 'unknown' ? 'Not recorded' : reasonWords[reason]}</th>
              <td>{count(n)}</td>
              <td className="share" aria-hidden="true">
                <span className="phase model" style={{ width: `${(100 * n) / runs}%` }} />
              </td>
            </tr>
          ))}
        </tbody>
      </ScrolledTable>
    </section>
  );
}
