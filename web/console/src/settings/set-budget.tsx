import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { BudgetInfo, TenantLimits } from '../../../client/index.ts';
import { useDeployment } from '../deployment.tsx';
import { useBudget } from '../parts/budget.tsx';
import { Failure } from '../parts/failure.tsx';

const fields = [
  ['usdPerDay', 'Models, USD a day', 'any'],
  ['tokensPerDay', 'Tokens a day', '1'],
  ['stepsPerDay', 'Steps a day', '1'],
] as const;

/** Sets the tenant's own limits. */
export function SetBudget() {
  const { data } = useBudget();
  if (!data) return null;
  if (!data.used)
    return (
      <section aria-label="Limits">
        <h2>Budget of {data.tenant}</h2>
        <p className="dim">This deployment has no budgets. Deploy it with budgets to set limits here.</p>
      </section>
    );
  // If another administrator changes the limits, the form restarts with the new ones.
  return <Limits key={JSON.stringify(data.own)} budget={data} />;
}

function Limits({ budget: { own, limits } }: { readonly budget: BudgetInfo }) {
  const { client } = useDeployment();
  const queries = useQueryClient();
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(fields.map(([name]) => [name, own[name]?.toString() ?? ''])),
  );
  const set = useMutation({
    mutationFn: () => client.setBudget(limitsIn(texts)),
    onSuccess: (now) => queries.setQueryData(['budget'], now),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    set.mutate();
  };
  return (
    <section aria-label="Limits">
      <h2>Tenant limits</h2>
      <form className="stack narrow" onSubmit={submit}>
        {fields.map(([name, label, step]) => (
          <div key={name} className="stack">
            <label htmlFor={name}>{label}</label>
            <input
              id={name}
              type="number"
              min="0"
              step={step}
              placeholder={own[name] === undefined ? `default: ${limits[name] || 'unlimited'}` : ''}
              value={texts[name] ?? ''}
              onChange={(event) => setTexts({ ...texts, [name]: event.target.value })}
            />
          </div>
        ))}
        <p className="dim">Leave empty to use the deployment’s limit. 0 means unlimited.</p>
        <div className="row">
          <button type="submit" className="primary" disabled={set.isPending}>
            Save limits
          </button>
          <span role="status">{set.isSuccess && 'Saved.'}</span>
        </div>
        <Failure error={set.error} />
      </form>
    </section>
  );
}

const limitsIn = (texts: Readonly<Record<string, string>>): TenantLimits =>
  Object.fromEntries(
    fields.flatMap(([name]) => (texts[name]?.trim() ? [[name, Number(texts[name])] as const] : [])),
  );
