import { statSync } from 'node:fs';
import { join, posix } from 'node:path';

interface Token {
  readonly type: string;
  readonly children: readonly Token[] | null;
  attrGet(name: string): string | null;
  attrSet(name: string, value: string): void;
}

/** The part of markdown-it that is used here: VitePress, which brings it, is no dependency. */
export interface MarkdownRenderer {
  readonly core: {
    readonly ruler: {
      push(
        name: string,
        rule: (state: { readonly tokens: readonly Token[]; readonly env: { readonly path: string } }) => void,
      ): void;
    };
  };
}

export interface Places {
  /** The project's folder, with a slash at its end. */
  readonly root: string;
  /** The URL of the repository. */
  readonly repository: string;
}

/** Links of pages to files outside of docs/ lead to the repository, and so do those to folders. docs/README.md is `/`. */
export function outsideLinks(renderer: MarkdownRenderer, places: Places): void {
  renderer.core.ruler.push('outside-links', ({ tokens, env }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      if (token.type !== 'link_open') continue;
      const to = addressOf(token.attrGet('href') ?? '', env.path.slice(places.root.length), places);
      if (to !== undefined) token.attrSet('href', to);
    }
  });
}

/**
 * The address in the repository of a link's target. Undefined for links within the site and to other sites.
 * @param page the path of the page in the project, such as `docs/cost.md`
 */
export function addressOf(href: string, page: string, { root, repository }: Places): string | undefined {
  if (/^(?:[a-z]+:|#|\/)/.test(href)) return undefined;
  const [file = '', anchor] = href.split('#');
  const path = posix.join(posix.dirname(page), file);
  if (path === 'docs/README.md') return '/';
  if (path.startsWith('docs/') && path.endsWith('.md')) return undefined;
  const kind = statSync(join(root, path)).isDirectory() ? 'tree' : 'blob';
  return `${repository}/${kind}/main/${path}${anchor === undefined ? '' : `#${anchor}`}`;
}
