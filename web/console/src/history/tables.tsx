import type { ReactNode } from 'react';
import type { AgentFigures, ModelFigures, ToolFigures } from '../../../client/index.ts';
import { plain } from '../parts/plain.ts';
import { ScrolledTable } from '../parts/scrolled-table.tsx';
import { count, duration, usd } from '../parts/words.ts';

/** Costs by agent. */
export const AgentTable = ({ agents }: { readonly agents: readonly AgentFigures[] }) => (
  <CostTable
    by="Agent"
    columns={['Runs', 'Failed', 'Steps', 'Models, USD']}
    rows={agents.map(({ name, runs, failed, steps, costUsd }) => ({
      ...{ name, costUsd },
      cells: [count(runs), count(failed), count(steps), usd(costUsd)],
    }))}
  />
);

/** Costs by model: replies, summaries and assessments. */
export const ModelTable = ({ models }: { readonly models: readonly ModelFigures[] }) => (
  <CostTable
    by="Model"
    columns={['Calls', 'Input tokens', 'Cached input', 'Output tokens', 'USD']}
    rows={models.map(({ name, calls, input, output, cacheRead, cacheWrite, costUsd }) => ({
      ...{ name, costUsd },
      cells: [count(calls), count(input + cacheWrite), count(cacheRead), count(output), usd(costUsd)],
    }))}
  />
);

/** Costs by tool: those of the replies that called it. */
export const ToolTable = ({ tools }: { readonly tools: readonly ToolFigures[] }) => (
  <CostTable
    by="Tool"
    columns={['Calls', 'Failed', 'Mean time', 'Models, USD']}
    rows={tools.map(({ name, calls, failed, ms, costUsd }) => ({
      ...{ name, costUsd },
      cells: [count(calls), count(failed), duration(ms / Math.max(1, calls)), usd(costUsd)],
    }))}
    note="A reply’s cost counts in equal parts for each of its calls. The price of a tool itself is not known."
  />
);

interface CostTableProps {
  readonly by: string;
  readonly columns: readonly string[];
  readonly rows: readonly {
    readonly name: string;
    readonly costUsd: number;
    readonly cells: readonly string[];
  }[];
  readonly note?: ReactNode;
}

function CostTable({ by, columns, rows, note }: CostTableProps) {
  if (rows.length === 0) return null;
  const dearest = Math.max(...rows.map(({ costUsd }) => costUsd), 0.000001);
  return (
    <section aria-label={`Cost by ${by.toLowerCase()}`}>
      <h2>Cost by {by.toLowerCase()}</h2>
      <ScrolledTable label={`${by}s`}>
        <thead>
          <tr>
            {[by, ...columns].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
            <th scope="col">
              <span className="hidden">Share</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, costUsd, cells }) => (
            <tr key={name}>
              <th scope="row">{plain(name)}</th>
              {cells.map((cell, i) => (
                <td key={columns[i]}>{cell}</td>
              ))}
              <td className="share" aria-hidden="true">
                <span className="phase model" style={{ width: `${(100 * costUsd) / dearest}%` }} />
              </td>
            </tr>
          ))}
        </tbody>
      </ScrolledTable>
      {note && <p className="dim">{note}</p>}
    </section>
  );
}
