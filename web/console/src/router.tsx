import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { comparedOf } from './compare/pairs.ts';
import { Frame } from './frame.tsx';
import { rangeOf } from './history/range.ts';
import { searchOf } from './search/asked.ts';
import { SessionPage } from './session/page.tsx';
import { filtersOf } from './sessions/filters.ts';
import { SessionsPage } from './sessions/page.tsx';
import { SettingsPage } from './settings/page.tsx';

const root = createRootRoute({ component: Frame, notFoundComponent: () => <p>Page not found.</p> });

const sessionsRoute = createRoute({
  getParentRoute: () => root,
  path: '/',
  validateSearch: filtersOf,
  component: function Sessions() {
    return <SessionsPage filters={sessionsRoute.useSearch()} />;
  },
});

const nowRoute = createRoute({
  getParentRoute: () => root,
  path: '/now',
  // Loaded only when it is opened: its charts are large.
  component: lazyRouteComponent(() => import('./now/page.tsx'), 'NowPage'),
});

/** Loaded only when it is opened: its charts are large. */
const HistoryPage = lazyRouteComponent(() => import('./history/page.tsx'), 'HistoryPage');
const historyRoute = createRoute({
  getParentRoute: () => root,
  path: '/history',
  validateSearch: rangeOf,
  component: function History() {
    return <HistoryPage days={historyRoute.useSearch().days} />;
  },
});

const settingsRoute = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  component: SettingsPage,
});

export const sessionRoute = createRoute({
  getParentRoute: () => root,
  path: '/sessions/$sessionId',
  component: function Session() {
    const { sessionId } = sessionRoute.useParams();
    // Another session is another page: no state of the previous one stays.
    return <SessionPage key={sessionId} sessionId={sessionId} />;
  },
});

/** Loaded only when it is opened: few people open it. */
const GuardsPage = lazyRouteComponent(() => import('./guards/page.tsx'), 'GuardsPage');
const guardsRoute = createRoute({
  getParentRoute: () => root,
  path: '/sessions/$sessionId/guards',
  component: function Guards() {
    const { sessionId } = guardsRoute.useParams();
    return <GuardsPage key={sessionId} sessionId={sessionId} />;
  },
});

/** Loaded only when they are opened. */
const ComparePage = lazyRouteComponent(() => import('./compare/page.tsx'), 'ComparePage');
const compareRoute = createRoute({
  getParentRoute: () => root,
  path: '/compare',
  validateSearch: comparedOf,
  component: function Compare() {
    return <ComparePage compared={compareRoute.useSearch()} />;
  },
});

const SearchPage = lazyRouteComponent(() => import('./search/page.tsx'), 'SearchPage');
const searchRoute = createRoute({
  getParentRoute: () => root,
  path: '/search',
  validateSearch: searchOf,
  component: function Search() {
    return <SearchPage asked={searchRoute.useSearch()} />;
  },
});

/** Its addresses begin at `/console`. */
export const router = createRouter({
  routeTree: root.addChildren([
    sessionsRoute,
    searchRoute,
    sessionRoute,
    guardsRoute,
    compareRoute,
    nowRoute,
    historyRoute,
    settingsRoute,
  ]),
  basepath: '/console',
  defaultPreload: false,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
