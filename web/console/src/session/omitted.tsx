import type { SessionInfo } from '../../../client/index.ts';
import { plain } from '../parts/plain.ts';

/** Tools that the session lacks, and why. */
export function OmittedTools({ session: { omittedTools = [] } }: { readonly session: SessionInfo }) {
  const count = omittedTools.reduce((sum, { tools, more = 0 }) => sum + tools.length + more, 0);
  if (count === 0) return null;
  return (
    <details>
      <summary>{count === 1 ? '1 tool left out' : `${count} tools left out`}</summary>
      <ul>
        {omittedTools.flatMap(({ source, tools, more }) => [
          ...tools.map(({ tool, why }) => (
            <li key={`${source} ${tool}`}>
              <span className="mono">
                {plain(source)}: {plain(tool)}
              </span>{' '}
              {plain(why)}
            </li>
          )),
          ...(more ? [<li key={source}>{`${plain(source)}: ${more} more`}</li>] : []),
        ])}
      </ul>
    </details>
  );
}
