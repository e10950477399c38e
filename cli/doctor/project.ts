/** Checks of the project in a folder: its Node, its packages, and the values that its definition needs. */

import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { DeploymentFacts } from '../../shared/contract/facts.ts';
import type { Values } from '../dev/values.ts';
import { manifest } from '../manifest.ts';
import { type Finding, look, ok, wrong } from './finding.ts';

/** The installed version must be the one that runs: another one would bundle other functions. */
export function packagesOf(folder: string): Finding[] {
  const node = ok('Node', process.version);
  try {
    const { version } = createRequire(join(folder, 'package.json'))('steploop/package.json');
    return [
      node,
      version === manifest.version
        ? ok('steploop', version)
        : wrong(
            'steploop',
            `${version} is installed, and this command is ${manifest.version}.`,
            'npx steploop doctor',
          ),
    ];
  } catch {
    return [node, look('steploop', 'It is not installed in this folder.', 'npm install steploop')];
  }
}

/** Secrets without a value on this machine. Settings without a default have theirs from the app. */
export function valuesIn({ settings, secrets, webhooks }: DeploymentFacts, values: Values): Finding[] {
  const lacking = Object.keys(secrets).filter((name) => values.secrets[name] === undefined);
  return [
    ok(
      'definition',
      `It loads, with ${Object.keys(settings).length} settings, ${Object.keys(secrets).length} secrets and ${webhooks.length} webhooks.`,
    ),
    ...lacking.map((name) =>
      look(
        name,
        'It has no value on this machine, so a tool or a model that needs it does not work here.',
        `${name}=… in .env`,
      ),
    ),
    ...values.notes.map((note) => look('.env', note, 'Correct the name in .env.')),
  ];
}
