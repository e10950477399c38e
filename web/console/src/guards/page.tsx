import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReplayAnswer } from '../../../client/index.ts';
import { useDeployment } from '../deployment.tsx';
import { Failure } from '../parts/failure.tsx';
import { count, reasonWords } from '../parts/words.ts';
import { type Cell, type Column, cellsOf, columnsOf } from './grid.ts';
import { placeOf, Said } from './said.tsx';
import { markWords } from './words.ts';

/** The verdicts that each preset would have given on a stored session, step by step. */
export function GuardsPage({ sessionId }: { readonly sessionId: string }) {
  const { client } = useDeployment();
  const replay = useQuery({
    queryKey: ['guards', sessionId],
    queryFn: () => client.replayGuards(sessionId),
    // A replay is work for the server: opening the page repeats it, and returning to the window does not.
    staleTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  return (
    <div className="guards">
      <h1>Guards</h1>
      <p>
        <Link to="/sessions/$sessionId" params={{ sessionId }}>
          Back to the session
        </Link>
      </p>
      <p className="dim">
        What the guards of each preset would have said to the stored runs. Advice that the model has not read
        may have changed what came after it, so each row is certain up to its first mark.
      </p>
      <Failure error={replay.error} />
      {replay.isPending && <p className="dim">Replaying…</p>}
      {replay.data && <Replay replay={replay.data} />}
    </div>
  );
}

function Replay({ replay }: { readonly replay: ReplayAnswer }) {
  const { columns, cut } = columnsOf(replay);
  const { presets, ran, from } = replay;
  const several = replay.runs.length > 1;
  return (
    <>
      <section aria-label="Overview">
        <Legend />
        <div className="wide">
          <table className="guard-grid">
            <thead>
              <tr>
                <th scope="col">Preset</th>
                {columns.map((column) => (
                  <th key={`${column.runId} ${column.step}`} scope="col" className={begins(column, several)}>
                    {column.step}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              <Row name="As it ran" cells={cellsOf(ran, columns)} several={several} />
              {presets.map((preset) => (
                <Row
                  key={preset.preset}
                  name={preset.preset}
                  cells={cellsOf(preset, columns)}
                  several={several}
                />
              ))}
            </tbody>
          </table>
        </div>
        {cut && <p className="dim">Only the last {count(columns.length)} steps are shown here.</p>}
        {from > 0 && <p className="dim">The slots before {from} are not replayed.</p>}
      </section>
      <Said name="As it ran" said={ran} ends={[]} runs={replay.runs} />
      {presets.map((preset) => {
        const ends = preset.ends.filter(({ state }) => state !== 'completed');
        const told = ends.map(
          (end) => `ends after step ${placeOf(end, replay.runs)}: ${reasonWords[end.reason]}`,
        );
        return <Said key={preset.preset} name={preset.preset} said={preset} ends={told} runs={replay.runs} />;
      })}
    </>
  );
}

function Legend() {
  return (
    <p className="row dim">
      {Object.values(markWords)
        .filter(({ sign }) => sign !== '')
        .map(({ name, sign }) => (
          <span key={name}>
            <span className="mono">{sign}</span> {name}
          </span>
        ))}
    </p>
  );
}

interface RowProps {
  readonly name: string;
  readonly cells: readonly Cell[];
  readonly several: boolean;
}

const Row = ({ name, cells, several }: RowProps) => (
  <tr>
    <th scope="row">{name}</th>
    {cells.map((cell) => {
      const { name: meaning, sign } = markWords[cell.mark];
      const codes = cell.said.map(({ code }) => code).join(', ');
      return (
        <td
          key={`${cell.runId} ${cell.step}`}
          className={`${cell.mark} ${begins(cell, several)}`}
          title={`Step ${cell.step}: ${meaning}${codes && ` (${codes})`}`}
        >
          {sign}
          <span className="hidden">{meaning}</span>
        </td>
      );
    })}
  </tr>
);

/** A line is drawn before the first step of a run. */
const begins = ({ step }: Column, several: boolean): string => (several && step === 1 ? 'begins' : '');
