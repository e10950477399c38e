/**
 * The documentation as a site: `npm run docs:dev` and `npm run docs:site`. VitePress comes by `npm exec` (102 MB, 125
 * packages), so this file imports nothing of it.
 */

import { fileURLToPath } from 'node:url';
import { anchorOf } from '../../test/support/docs/pages.ts';
import { deadLinksIn } from './dead-links.ts';
import { type MarkdownRenderer, outsideLinks } from './outside-links.ts';
import { sidebar } from './sidebar.ts';

const repository = 'https://github.com/steploop/steploop';
const root = fileURLToPath(new URL('../../', import.meta.url));

export default {
  title: 'Steploop',
  description: 'A serverless, event-driven agent on queues: one Lambda invocation is one step.',
  srcDir: '../docs',
  outDir: '../dist-site',
  cacheDir: '../node_modules/.cache/vitepress',
  rewrites: { 'README.md': 'index.md' },
  ignoreDeadLinks: false,
  markdown: {
    anchor: { slugify: anchorOf },
    config: (renderer: MarkdownRenderer) => outsideLinks(renderer, { root, repository }),
  },
  themeConfig: {
    sidebar: sidebar(root),
    search: { provider: 'local' },
    outline: [2, 3],
    socialLinks: [{ icon: 'github', link: repository }],
    editLink: { pattern: `${repository}/edit/main/docs/:path` },
  },
  // The esbuild of VitePress is older than the target of tsconfig.json.
  vite: { esbuild: { tsconfigRaw: { compilerOptions: { target: 'es2022' } } } },
  buildEnd({ outDir }: { outDir: string }) {
    const dead = deadLinksIn(outDir);
    if (dead.length > 0) throw new Error(`dead links:\n${dead.join('\n')}`);
  },
};
