import { manifest } from '../manifest.ts';

/** Versions from the package's own manifest: those that its tests have run with. */
const { peerDependencies: peers, devDependencies: tested, name: steploop, version } = manifest;

/** `package.json` of a new project. */
export const projectManifest = (name: string): object => ({
  name,
  version: '0.1.0',
  private: true,
  type: 'module',
  scripts: {
    dev: 'steploop dev',
    test: 'vitest run',
    eval: 'steploop eval',
    check: 'tsc',
    synth: 'cdk synth --quiet',
    deploy: 'cdk deploy',
  },
  dependencies: {
    'aws-cdk-lib': peers['aws-cdk-lib'],
    constructs: peers.constructs,
    [steploop]: `^${version}`,
    zod: peers.zod,
  },
  devDependencies: Object.fromEntries(
    ['@types/node', 'aws-cdk', 'node', 'tsx', 'typescript', 'vitest'].map((used) => [used, tested[used]]),
  ),
  // Packages whose install scripts npm may run: they bring the binaries of Node, of esbuild and of the laptop's table.
  // `just-bash`, if it is installed, brings a compressor that is not used here.
  allowScripts: { node: true, esbuild: true, 'classic-level': true, 'node-liblzma': false },
});
