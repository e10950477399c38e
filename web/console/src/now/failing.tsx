import { Link } from '@tanstack/react-router';
import { count, reasonWords } from '../parts/words.ts';
import type { Failing } from './tally.ts';

/** Failures by reason, with the message of the latest. Each links to the list of its sessions. */
export const FailingList = ({ reasons }: { readonly reasons: readonly Failing[] }) => (
  <ul className="plain-list">
    {reasons.map(({ reason, count: n, latest }) => (
      <li key={reason}>
        <Link to="/" search={{ state: latest.state, reason: latest.reason, within: 'day' }}>
          <strong>{count(n)}</strong> {n === 1 ? 'session' : 'sessions'}
        </Link>{' '}
        · {latest.reason ? reasonWords[latest.reason] : latest.state} ·{' '}
        <Link to="/sessions/$sessionId" params={{ sessionId: latest.sessionId }}>
          the latest
        </Link>
        {latest.message && <span className="plain failure lines">{latest.message}</span>}
      </li>
    ))}
  </ul>
);
