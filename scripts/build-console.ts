/** `npm run build:console`: the page of operators, in web/console/dist. What synthesizes does the same when it is stale. */

import { buildPage } from '../infra/bundle/page.ts';

await buildPage();
