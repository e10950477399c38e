import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** An attribute of a built page that leads to another one, to a place in it, or to a file. */
const LINK = /\s(?:href|src)="([^"]+)"/g;

/**
 * The links of a built site that lead to no page, file or heading of it, as `page: link`. VitePress checks pages alone, and not
 * those that it gives another name.
 *
 * @param folder of the built site
 */
export function deadLinksIn(folder: string): string[] {
  const pages = globSync('**/*.html', { cwd: folder }).toSorted();
  const texts = new Map(pages.map((page) => [page, readFileSync(join(folder, page), 'utf8')]));
  const ids = new Map(
    [...texts].map(([page, text]) => [
      page,
      new Set([...text.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id)),
    ]),
  );
  const isDead = (page: string, link: string): boolean => {
    const [path = '', anchor] = decodeURI(link).split('#');
    const there = path === '' ? page : target(page, path);
    if (!existsSync(join(folder, there))) return true;
    return Boolean(anchor) && ids.get(there)?.has(anchor ?? '') === false;
  };
  return [...texts].flatMap(([page, text]) =>
    [...new Set([...text.matchAll(LINK)].map(([, link = '']) => link.replaceAll('&amp;', '&')))]
      .filter((link) => !/^(?:[a-z]+:|\/\/)/.test(link) && isDead(page, link))
      .map((link) => `${page}: ${link}`),
  );
}

function target(page: string, path: string): string {
  const from = path.startsWith('/') ? path.slice(1) : posix.join(posix.dirname(page), path);
  return from === '' || from.endsWith('/') ? `${from}index.html` : from;
}
