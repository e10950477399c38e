import { globSync, readFileSync } from 'node:fs';

/** The project's own pages. */
export interface Page {
  /** From the project's folder. */
  readonly path: string;
  readonly text: string;
}

export const root = new URL('../../../', import.meta.url);

const read = (path: string): Page => ({ path, text: readFileSync(new URL(path, root), 'utf8') });

/** The pages that people read, without those about the past. */
export const pages: readonly Page[] = globSync(['*.md', 'docs/**/*.md'], { cwd: root })
  .filter((path) => path !== 'CHANGELOG.md')
  .toSorted()
  .map(read);

export const changelog: Page = read('CHANGELOG.md');

/** A page without its blocks of code. */
export const proseOf = ({ text }: Page): string => text.replaceAll(/^ *```[\s\S]*?^ *```/gm, '');

/** Its code blocks in this language, with the comment before each, if there is one. */
export const blocksOf = ({ text }: Page, language: string) =>
  [
    ...text.matchAll(
      new RegExp(`(?:<!-- sample: (.*?) -->\\n\\n?)?^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gms'),
    ),
  ].map(([, note, code = ''], n) => ({ n, note, code }));

/** An instruction of a page: to write a file, or to type a command. */
export type PageStep =
  | { readonly kind: 'file'; readonly path: string; readonly text: string }
  | { readonly kind: 'command'; readonly command: string };

/** The steps of a page, in its order: samples that name their file, and the lines of its `sh` blocks. */
export const stepsOf = ({ text }: Page): PageStep[] =>
  [...text.matchAll(/(?:<!-- sample: file (\S+) -->\n\n?)?^```(ts|sh)\n([\s\S]*?)^```/gm)].flatMap(
    ([, path, language, code = '']): PageStep[] => {
      if (language === 'ts') return path === undefined ? [] : [{ kind: 'file', path, text: code }];
      const commands = code.split('\n').map((line) => line.replace(/\s+#.*$/, '').trim());
      return commands.flatMap((command) => (command ? [{ kind: 'command', command }] : []));
    },
  );

/** Texts in backticks, on one line. */
export const spansOf = (page: Page): string[] =>
  [...proseOf(page).matchAll(/(?<!`)`([^`\n]+)`(?!`)/g)].map(([, span = '']) => span);

/** A heading's anchor, as GitHub makes it. */
export const anchorOf = (heading: string): string =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');

/** Every file of the project, from its folder. */
export const files: readonly string[] = globSync('**/*', {
  cwd: root,
  exclude: (path) => /(?:^|\/)(?:node_modules|cdk\.out|dist|\.git|\.doc-samples-\w+)$/.test(String(path)),
});
