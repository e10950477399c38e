import { emulators } from '../dev/emulators.ts';
import { manifest } from '../manifest.ts';

/** Versions from the package's own manifest: those that its tests have run with. */
const { peerDependencies: peers, devDependencies: tested, name: steploop, version } = manifest;

/**
 * `package.json` of a new project.
 *
 * @param ownNode whether it brings the Node of its scripts (the package `node`), because the one of the machine is older than
 * Lambda's
 * @param packages what its template needs besides
 */
export const projectManifest = (
  name: string,
  ownNode: boolean,
  packages: readonly string[] = [],
): object => ({
  name,
  version: '0.1.0',
  private: true,
  type: 'module',
  engines: { node: ownNode ? '>=20' : '>=24' },
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
    ...Object.fromEntries(packages.map((used) => [used, peers[used]])),
    zod: peers.zod,
  },
  devDependencies: Object.fromEntries(
    ['@types/node', 'aws-cdk', ...emulators, ...(ownNode ? ['node'] : []), 'tsx', 'typescript', 'vitest'].map(
      (used) => [used, tested[used]],
    ),
  ),
  // Packages whose install scripts npm may run: they bring the binaries of Node, of esbuild and of the laptop's table.
  // `just-bash`, if it is installed, brings a compressor that is not used here.
  allowScripts: {
    ...(ownNode && { node: true }),
    esbuild: true,
    'classic-level': true,
    'node-liblzma': false,
  },
});

/**
 * `.npmrc` of a project with its own Node. npm runs on the machine's Node and warns of packages that want a newer one, although
 * nothing of the project runs on it.
 */
export const npmrc = `# npm would warn of packages that want a newer Node than this machine's. Scripts run on the project's own: the package node.
loglevel=error
`;
