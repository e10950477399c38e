import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { states } from '../../../../shared/contract/session.ts';
import { StateBadge } from '../parts/badge.tsx';
import { Choice } from '../parts/choice.tsx';
import { Failure } from '../parts/failure.tsx';
import { plain } from '../parts/plain.ts';
import { count, stateWords } from '../parts/words.ts';
import { spanWords, useAgents } from '../sessions/filter-bar.tsx';
import { type Span, spans } from '../sessions/filters.ts';
import type { SearchAsked } from './asked.ts';
import { type Hit, nothingScanned, type Scanned } from './scan.ts';
import { useScan } from './use-scan.ts';

/** Searches titles, messages, tool calls and results of recent sessions. */
export function SearchPage({ asked }: { readonly asked: SearchAsked }) {
  const navigate = useNavigate();
  const { state, error, isGoing, run, stop, clear } = useScan();
  const go = (change: SearchAsked) =>
    void navigate({ to: '/search', search: { ...asked, ...change }, replace: true });
  const { text } = asked;
  const canGoOn = !isGoing && !state.isAtEnd && state.handled.size > 0 && text !== undefined;
  return (
    <div className="search">
      <h1>Search</h1>
      <p className="dim">
        Finds a text in titles, messages, tool calls and their results. There is no index: the page reads one
        session after the other, most recently active first, as far as you may see them.
      </p>
      <Form
        asked={asked}
        onChange={(change) => {
          // The results belong to other filters.
          clear();
          go(change);
        }}
        onSearch={(typed) => {
          go({ text: typed });
          void run(typed, asked, nothingScanned);
        }}
      />
      <div className="row">
        {isGoing && (
          <button type="button" onClick={stop}>
            Stop
          </button>
        )}
        <span role="status">{coveredBy(state, isGoing)}</span>
        {canGoOn && (
          <button type="button" onClick={() => void run(text, asked, state)}>
            Search older sessions
          </button>
        )}
      </div>
      <Failure error={error} />
      {state.unread.length > 0 && <Unread sessionIds={state.unread} />}
      {state.hits.length > 0 && (
        <ul className="plain-list stack" aria-label="Sessions found">
          {state.hits
            .toSorted((a, b) => b.row.movedAt.localeCompare(a.row.movedAt))
            .map((hit) => (
              <Found key={hit.row.sessionId} hit={hit} />
            ))}
        </ul>
      )}
    </div>
  );
}

interface FormProps {
  readonly asked: SearchAsked;
  readonly onChange: (change: SearchAsked) => void;
  readonly onSearch: (text: string) => void;
}

function Form({ asked, onChange, onSearch }: FormProps) {
  const agents = useAgents();
  const [text, setText] = useState(asked.text ?? '');
  const typed = text.trim();
  return (
    <search>
      <form
        className="row filters"
        onSubmit={(event) => {
          event.preventDefault();
          if (typed !== '') onSearch(typed);
        }}
      >
        <input
          type="search"
          aria-label="Text to find"
          placeholder="Text to find"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <Choice
          label="State"
          value={asked.state}
          options={states.map((state) => [state, stateWords[state]])}
          onChange={(state) => onChange({ state })}
        />
        <Choice
          label="Agent"
          value={asked.agent}
          options={agents.map((agent) => [agent, agent])}
          onChange={(agent) => onChange({ agent })}
        />
        <Choice
          label="Last activity"
          value={asked.within}
          options={(Object.keys(spans) as Span[]).map((span) => [span, spanWords[span]])}
          onChange={(within) => onChange({ within })}
        />
        <button type="submit" className="primary" disabled={typed === ''}>
          Search
        </button>
      </form>
    </search>
  );
}

/** The coverage of the search, in a sentence. */
function coveredBy({ handled, unread, hits, back, isAtEnd }: Scanned, isGoing: boolean): string {
  if (handled.size === 0) return isGoing ? 'Searching …' : isAtEnd ? 'There are no sessions to search.' : '';
  const found = `Found in ${count(hits.length)} of ${count(handled.size - unread.length)} sessions`;
  if (isGoing) return `${found} so far …`;
  if (isAtEnd) return `${found}. All sessions that pass the filters were searched.`;
  const from = back === undefined ? '' : ` since ${new Date(back).toLocaleString()}`;
  return `${found} with activity${from}. Older sessions were not searched.`;
}

const Unread = ({ sessionIds }: { readonly sessionIds: readonly string[] }) => (
  <details className="failure">
    <summary>
      {count(sessionIds.length)} {sessionIds.length === 1 ? 'session' : 'sessions'} could not be read
    </summary>
    <ul>
      {sessionIds.map((sessionId) => (
        <li key={sessionId}>
          <Link to="/sessions/$sessionId" params={{ sessionId }} className="mono">
            {sessionId}
          </Link>
        </li>
      ))}
    </ul>
  </details>
);

const Found = ({ hit: { row, matches } }: { readonly hit: Hit }) => (
  <li className="card">
    <div className="row">
      <Link to="/sessions/$sessionId" params={{ sessionId: row.sessionId }}>
        {plain(row.title) || row.sessionId}
      </Link>
      <StateBadge state={row.state} />
      <span className="dim">
        {row.agent} · {new Date(row.movedAt).toLocaleString()}
      </span>
    </div>
    <ul className="plain-list">
      {matches.map(({ where, before, text, after }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
        <li key={i} className="match">
          <span className="dim">{where}: </span>
          {plain(before)}
          <mark>{plain(text)}</mark>
          {plain(after)}
        </li>
      ))}
    </ul>
  </li>
);
