/**
 * Replaces the core's SHA-256 in JavaScript, which runs anywhere, by Node's own in a function: 6 KB less, and a hash of a
 * kilobyte takes a tenth of the time.
 */

import type { Plugin } from 'esbuild';

export const hashesDiet: Plugin = {
  name: 'hashes-diet',
  setup(build) {
    build.onResolve({ filter: /^@noble\/hashes\/(?:sha2|utils)\.js$/ }, ({ path, importer }) =>
      /[\\/]agent[\\/](?:plain[\\/]hash|workspace[\\/]content)\.[tj]s$/.test(importer)
        ? { path, namespace: 'hashes' }
        : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: 'hashes' }, () => ({ contents: own }));
  },
};

const own = `
  const { hash } = process.getBuiltinModule('node:crypto');
  export const sha256 = (bytes) => hash('sha256', bytes, 'buffer');
  export const bytesToHex = (bytes) => bytes.toString('hex');
  export const utf8ToBytes = (text) => text;
`;
