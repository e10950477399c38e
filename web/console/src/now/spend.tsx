import { useBudget } from '../parts/budget.tsx';
import { count, usd } from '../parts/words.ts';
import type { Spend } from './tally.ts';

interface SpendTableProps {
  /** The grouping: `Agent` or `Model`. */
  readonly by: string;
  readonly spend: readonly Spend[];
}

/** Costs of sessions by agent or model, and their share of the tenant's daily budget. */
export function SpendTable({ by, spend }: SpendTableProps) {
  const limit = useBudget().data?.limits.usdPerDay ?? 0;
  const dearest = Math.max(...spend.map((one) => one.usd), 0.000001);
  if (spend.length === 0) return null;
  return (
    <section aria-label={`Cost by ${by.toLowerCase()}`}>
      <h2>Cost by {by.toLowerCase()}</h2>
      <div className="wide">
        <table>
          <thead>
            <tr>
              <th scope="col">{by}</th>
              <th scope="col">Sessions</th>
              <th scope="col">Models, USD</th>
              {limit > 0 && <th scope="col">Share of daily budget</th>}
              <th scope="col">
                <span className="hidden">Share</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {spend.map((one) => (
              <tr key={one.name}>
                <th scope="row">{one.name}</th>
                <td>{count(one.sessions)}</td>
                <td>{usd(one.usd)}</td>
                {limit > 0 && <td>{percent(one.usd / limit)}</td>}
                <td className="share" aria-hidden="true">
                  <span className="phase model" style={{ width: `${(100 * one.usd) / dearest}%` }} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

const shares = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });
const percent = (share: number): string => (share > 0 && share < 0.001 ? '< 0.1%' : shares.format(share));
