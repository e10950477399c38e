import { useQuery } from '@tanstack/react-query';
import { reasons, states } from '../../../../shared/contract/session.ts';
import { Choice } from '../parts/choice.tsx';
import { useWide } from '../parts/use-wide.ts';
import { reasonWords, stateWords } from '../parts/words.ts';
import { type Filters, type Span, spans } from './filters.ts';

interface FilterBarProps {
  readonly filters: Filters;
  readonly onChange: (filters: Filters) => void;
}

/** The time spans, for people. */
export const spanWords: Readonly<Record<Span, string>> = {
  hour: 'the last hour',
  day: 'the last day',
  week: 'the last week',
};

/** The filters of the list. In a narrow window all but the search for titles are closed at first, to leave room for the list. */
export function FilterBar({ filters, onChange }: FilterBarProps) {
  const isWide = useWide();
  const search = (
    <input
      type="search"
      aria-label="Search titles"
      placeholder="Search titles"
      value={filters.q ?? ''}
      onChange={(event) => onChange({ ...filters, q: event.target.value || undefined })}
    />
  );
  const rest = <MoreFilters filters={filters} onChange={onChange} />;
  if (isWide)
    return (
      <search className="row filters">
        {search}
        {rest}
      </search>
    );
  const set = countOf(filters);
  return (
    <search className="stack">
      {search}
      <details className="more-filters">
        <summary>More filters{set > 0 && ` (${set} set)`}</summary>
        <div className="filters row">{rest}</div>
      </details>
    </search>
  );
}

/** The number of filters in effect, without the search for titles. */
const countOf = ({ q, sort, up, ...rest }: Filters): number =>
  Object.values(rest).filter((value) => value !== undefined).length;

function MoreFilters({ filters, onChange }: FilterBarProps) {
  const agents = useAgents();
  const set = (change: Filters) => onChange({ ...filters, ...change });
  return (
    <>
      <Choice
        label="State"
        value={filters.state}
        options={states.map((state) => [state, stateWords[state]])}
        onChange={(state) => set({ state })}
      />
      <Choice
        label="Reason"
        value={filters.reason}
        options={reasons.map((reason) => [reason, reasonWords[reason]])}
        onChange={(reason) => set({ reason })}
      />
      <Choice
        label="Agent"
        value={filters.agent}
        options={agents.map((agent) => [agent, agent])}
        onChange={(agent) => set({ agent })}
      />
      <Choice
        label="Last activity"
        value={filters.within}
        options={(Object.keys(spans) as Span[]).map((span) => [span, spanWords[span]])}
        onChange={(within) => set({ within })}
      />
      <input
        aria-label="Source"
        placeholder="Source: http, slack, webhook:github"
        value={filters.source ?? ''}
        onChange={(event) => set({ source: event.target.value || undefined })}
      />
      <input
        aria-label="User"
        placeholder="User"
        value={filters.user ?? ''}
        onChange={(event) => set({ user: event.target.value || undefined })}
      />
      <Amount label="Cost from, USD" step="0.01" value={filters.cost} onChange={(cost) => set({ cost })} />
      <Amount label="Duration from, s" step="1" value={filters.ran} onChange={(ran) => set({ ran })} />
    </>
  );
}

interface AmountProps {
  readonly label: string;
  readonly step: string;
  readonly value: number | undefined;
  readonly onChange: (value: number | undefined) => void;
}

const Amount = ({ label, step, value, onChange }: AmountProps) => (
  <input
    type="number"
    className="amount"
    min="0"
    step={step}
    aria-label={label}
    placeholder={label}
    value={value ?? ''}
    onChange={({ target }) => onChange(target.value === '' ? undefined : Math.max(0, target.valueAsNumber))}
  />
);

/** Names of the deployed agents. */
export function useAgents(): readonly string[] {
  const { data = [] } = useQuery({
    queryKey: ['agents'],
    queryFn: async () => {
      const { agents } = (await (await fetch('/')).json()) as { agents: { name: string }[] };
      return agents.map(({ name }) => name);
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data;
}
