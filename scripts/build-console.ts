/** `npm run build:console`: builds the operators' page into web/console/dist. A synthesis does the same if the page is stale. */

import { buildPage } from '../infra/bundle/page.ts';

await buildPage();
