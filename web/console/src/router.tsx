import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import { Frame } from './frame.tsx';
import { SessionPage } from './session/page.tsx';
import { StartPage } from './start.tsx';

const root = createRootRoute({ component: Frame, notFoundComponent: () => <p>There is no such page.</p> });

const start = createRoute({ getParentRoute: () => root, path: '/', component: StartPage });

export const sessionRoute = createRoute({
  getParentRoute: () => root,
  path: '/sessions/$sessionId',
  component: function Session() {
    const { sessionId } = sessionRoute.useParams();
    // Another session is another page: nothing of the one before stays.
    return <SessionPage key={sessionId} sessionId={sessionId} />;
  },
});

/** Its addresses begin at `/console`. */
export const router = createRouter({
  routeTree: root.addChildren([start, sessionRoute]),
  basepath: '/console',
  defaultPreload: false,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
