import { useQuery } from '@tanstack/react-query';
import { useDeployment } from '../deployment.tsx';
import { Budget } from '../parts/budget.tsx';
import { Failure } from '../parts/failure.tsx';
import { isNotMine } from '../parts/mine.ts';
import { Keys } from './keys.tsx';
import { People } from './people.tsx';
import { SetBudget } from './set-budget.tsx';

/** The tenant's settings: its daily limits, its API keys, and the data of its people. Users who are not administrators see only the budget. */
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
          <People />
        </>
      )}
    </div>
  );
}
