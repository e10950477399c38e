import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Item {
  readonly text: string;
  readonly link: string;
}

export interface Group {
  readonly text: string;
  readonly collapsed: boolean;
  readonly items: readonly Item[];
}

/** The groups of docs/README.md, in its order, and the decisions. @param root the project's folder */
export function sidebar(root: string): Group[] {
  const [, ...parts] = readFileSync(join(root, 'docs/README.md'), 'utf8').split(/^## /m);
  const groups = parts.map((part, at) => ({
    text: part.slice(0, part.indexOf('\n')).trim(),
    collapsed: at > 0,
    items: [...part.matchAll(/^(?:-|\d+\.) \[([^\]]+)\]\(([\w/-]+)\.md\)/gm)].map(([, text = '', page]) => ({
      text: text.replaceAll('`', ''),
      link: `/${page}`,
    })),
  }));
  return [...groups, { text: 'Decisions', collapsed: true, items: decisions(join(root, 'docs/adr')) }];
}

const decisions = (folder: string): Item[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .toSorted()
    .map((file) => ({
      text: /^# (.+)$/m.exec(readFileSync(join(folder, file), 'utf8'))?.[1] ?? file,
      link: `/adr/${file.replace(/\.md$/, '')}`,
    }));
