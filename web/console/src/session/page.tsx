import { Link } from '@tanstack/react-router';
import { isForPeople } from '../../../../shared/contract/waits.ts';
import type { SessionInfo, View } from '../../../client/index.ts';
import { StateBadge } from '../parts/badge.tsx';
import { Failure } from '../parts/failure.tsx';
import { plain } from '../parts/plain.ts';
import { count, reasonWords, usd } from '../parts/words.ts';
import { Steps } from '../steps/steps.tsx';
import { Branches } from './branches.tsx';
import { Callback } from './callback.tsx';
import { Composer } from './composer.tsx';
import { Conversation } from './conversation.tsx';
import { Delete } from './delete.tsx';
import { OmittedTools } from './omitted.tsx';
import { Ratings } from './ratings.tsx';
import { Retry } from './retry.tsx';
import { SkillsRead } from './skills.tsx';
import { useSession } from './use-session.ts';
import { WaitCard } from './waits.tsx';

/** One session: its conversation, its requests to people, its costs, and its controls. */
export function SessionPage({ sessionId }: { readonly sessionId: string }) {
  const { view, info, refused } = useSession(sessionId);
  const session = info.data;
  if (!session) return <Failure error={info.error ?? refused} />;
  const asked = session.waits.filter(({ kind }) => isForPeople(kind));
  return (
    <div className="session">
      <Head session={session} view={view} />
      <Failure error={refused} />
      <div className="columns">
        <div className="talk">
          <Conversation sessionId={sessionId} view={view} />
          {asked.map((wait) => (
            <WaitCard key={wait.id} sessionId={sessionId} wait={wait} />
          ))}
          <Composer sessionId={sessionId} running={goesOn(session)} />
        </div>
        <Steps sessionId={sessionId} />
      </div>
    </div>
  );
}

/** Whether there is a run to stop. */
const goesOn = ({ state }: SessionInfo): boolean =>
  ['running', 'waiting_for_tool', 'waiting_for_input'].includes(state);

function Head({ session, view }: { readonly session: SessionInfo; readonly view: View }) {
  const { sessionId, agent, title, state, reason, run, totals, lastEnding } = session;
  const isLive = state === 'running';
  return (
    <header className="session-head">
      <h1>{title ? plain(title) : agent}</h1>
      <p className="dim">
        {agent} · <span className="mono">{sessionId}</span> ·{' '}
        <Link to="/sessions/$sessionId/guards" params={{ sessionId }}>
          Guards
        </Link>{' '}
        ·{' '}
        <Link to="/compare" search={{ a: sessionId }}>
          Compare
        </Link>
      </p>
      <p className="row" role="status">
        <StateBadge state={state} />
        {reason && <span>{reasonWords[reason]}</span>}
        {isLive && view.step && <span className="dim">{view.step}</span>}
      </p>
      {!isLive && lastEnding && lastEnding.state === state && lastEnding.state !== 'completed' && (
        <p className="plain">{lastEnding.message}</p>
      )}
      <SkillsRead view={view} />
      <OmittedTools session={session} />
      <Retry session={session} />
      <Callback session={session} />
      <Branches session={session} />
      <Ratings session={session} />
      <Delete session={session} />
      <dl className="figures">
        <div>
          <dt>Cost</dt>
          <dd>{usd(totals.costUsd)}</dd>
        </div>
        {totals.infraUsd !== undefined && (
          <div>
            <dt>Infrastructure</dt>
            <dd>{usd(totals.infraUsd)}</dd>
          </div>
        )}
        <div>
          <dt>Tokens in, cached, out</dt>
          <dd>
            {count(totals.input)}, {count(totals.cacheRead)}, {count(totals.output)}
          </dd>
        </div>
        {run && (
          <div>
            <dt>Steps, calls</dt>
            <dd>
              {count(run.steps)}, {count(run.toolCalls)}
            </dd>
          </div>
        )}
      </dl>
    </header>
  );
}
