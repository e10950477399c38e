import { useQuery } from '@tanstack/react-query';
import { useDeployment } from '../deployment.tsx';
import { Budget } from '../parts/budget.tsx';
import { Failure } from '../parts/failure.tsx';
import { isNotMine } from '../parts/mine.ts';
import { Keys } from './keys.tsx';
import { SetBudget } from './set-budget.tsx';

/** What is set for the tenant: what it may use in a day, and its API keys. Who may not administer it sees the one, and nothing of the other. */
export function SettingsPage() {
  const { client } = useDeployment();
  const keys = useQuery({ queryKey: ['keys'], queryFn: () => client.keys() });
  return (
    <div className="now">
      <h1>Settings</h1>
      <Budget />
      {isNotMine(keys.error) ? (
        <p className="dim">Only tenant administrators can manage keys.</p>
      ) : (
        <Failure error={keys.error} />
      )}
      {keys.data && (
        <>
          <SetBudget />
          <Keys keys={keys.data} />
        </>
      )}
    </div>
  );
}
