/** `npm run build:console` */

import { buildPage } from '../infra/bundle/page.ts';
import { optionsOf } from '../test/support/command-line.ts';

optionsOf(
  `npm run build:console

Builds the operators' page into web/console/dist. A synthesis does the same if the page is stale.`,
  {},
);

await buildPage();
