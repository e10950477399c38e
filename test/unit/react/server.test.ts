/** The hooks when pages are rendered on a server. */

import { createElement, type FC } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import {
  SteploopProvider,
  useApprovals,
  useSession,
  useSessions,
  useSteploop,
} from '../../../web/react/index.ts';

const Page: FC = () => {
  const { items, state, waits, steps, error } = useSession('s1', { steps: true });
  const { sessions, loading } = useSessions({ agent: 'triage' });
  const { asked } = useApprovals();
  useSteploop();
  return createElement(
    'p',
    {},
    JSON.stringify({ items, state, waits, steps, error, sessions, loading, asked }),
  );
};

test('rendering on a server creates no client, and shows the initial state of the page', () => {
  const client = () => {
    throw new Error('a client was made while rendering');
  };
  const html = renderToString(createElement(SteploopProvider, { client }, createElement(Page)));
  const shown = JSON.parse(html.replace(/<\/?p>/g, '').replaceAll('&quot;', '"'));
  expect(shown).toEqual({ items: [], waits: [], steps: [], sessions: [], loading: true, asked: [] });
});

test('a hook without a provider says what is missing', () => {
  expect(() => renderToString(createElement(Page))).toThrow('no <SteploopProvider> above');
});
