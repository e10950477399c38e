import { useQuery } from '@tanstack/react-query';
import type { BudgetInfo } from '../../../client/index.ts';
import { useDeployment } from '../deployment.tsx';
import { Failure } from './failure.tsx';
import { isNotMine } from './mine.ts';
import { count, usd } from './words.ts';

/** The tenant's daily limits and use, read every half a minute. */
export function useBudget() {
  const { client } = useDeployment();
  return useQuery({ queryKey: ['budget'], queryFn: () => client.budget(), refetchInterval: 30_000 });
}

/** The day's use against the tenant's limits. Shows nothing if the user may not see it, or if nothing is counted. */
export function Budget() {
  const { data, error } = useBudget();
  if (error) return isNotMine(error) ? null : <Failure error={error} />;
  if (!data?.used) return null;
  return (
    <section aria-label="Budget">
      <h2>
        Budget of {data.tenant}, {data.day}
      </h2>
      <table>
        <thead>
          <tr>
            <th scope="col">Per day</th>
            <th scope="col">Used</th>
            <th scope="col">Limit</th>
            <th scope="col">
              <span className="hidden">Share</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {linesOf(data).map(({ name, used, limit, share, shown }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td className={share >= 1 ? 'failure' : undefined}>{shown(used)}</td>
              <td>{limit === 0 ? 'unlimited' : shown(limit)}</td>
              <td className="share" aria-hidden="true">
                {limit > 0 && (
                  <span
                    className={`phase ${share >= 0.8 ? 'wait' : 'model'}`}
                    style={{ width: `${100 * Math.min(1, share)}%` }}
                  />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="dim">
        Includes reservations of running calls. Resets at {new Date(data.resetsAt).toLocaleString()}.
      </p>
    </section>
  );
}

const linesOf = ({ used, limits }: BudgetInfo) => {
  if (!used) return [];
  return [
    { name: 'Models, USD', used: used.usd, limit: limits.usdPerDay, shown: usd },
    { name: 'Tokens', used: used.tokens, limit: limits.tokensPerDay, shown: count },
    { name: 'Steps', used: used.steps, limit: limits.stepsPerDay, shown: count },
  ].map((one) => ({ ...one, share: one.limit > 0 ? one.used / one.limit : 0 }));
};
