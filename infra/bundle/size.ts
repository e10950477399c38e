/** Sizes of a bundle, read from esbuild's metafile, in minified bytes, not compressed. */

import type { Metafile } from 'esbuild';

export interface Sizes {
  /** Loaded by every cold start: the entry and its static imports. */
  eager: number;
  /** Loaded when the dynamic `import()` or the function that leads there is called. */
  lazy: number;
  total: number;
  /** Bytes of each package and of this project's own code, largest first. */
  inputs: { name: string; bytes: number; lazy: boolean }[];
}

export function sizesOf(metafile: Metafile): Sizes {
  const eagerFiles = new Set(reachable(metafile, ['import-statement', 'require-call']));
  const inputs = new Map<string, { name: string; bytes: number; lazy: boolean }>();
  const sizes: Sizes = { eager: 0, lazy: 0, total: 0, inputs: [] };
  for (const path of reachable(metafile)) {
    const output = metafile.outputs[path];
    if (!output) continue;
    const lazy = !eagerFiles.has(path);
    sizes[lazy ? 'lazy' : 'eager'] += output.bytes;
    sizes.total += output.bytes;
    for (const [input, { bytesInOutput }] of Object.entries(output.inputs)) {
      const name = packageOf(input);
      const known = inputs.get(`${name} ${lazy}`) ?? { name, bytes: 0, lazy };
      known.bytes += bytesInOutput;
      inputs.set(`${name} ${lazy}`, known);
    }
  }
  sizes.inputs = [...inputs.values()].sort((a, b) => b.bytes - a.bytes);
  return sizes;
}

/**
 * Output files that the entry can load, including itself. esbuild makes a chunk of every dynamic import, even in functions that
 * it drops afterwards; such a chunk is unreachable.
 */
export function reachable(
  metafile: Metafile,
  kinds: string[] = ['import-statement', 'require-call', 'dynamic-import', 'file-loader'],
  ending = '/index.mjs',
): string[] {
  const entry = Object.keys(metafile.outputs).find((path) => path.endsWith(ending));
  const found = new Set(entry === undefined ? [] : [entry]);
  // A set is iterated in insertion order, including additions during the iteration.
  for (const path of found) {
    for (const link of metafile.outputs[path]?.imports ?? []) {
      if (!link.external && kinds.includes(link.kind)) found.add(link.path);
    }
  }
  return [...found];
}

function packageOf(input: string): string {
  return /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1] ?? 'this project';
}
