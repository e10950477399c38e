import { resolve } from 'node:path';
import { runApp } from './app.ts';
import { parse } from './arguments.ts';

const usage = `steploop synth [--out DIR]

Runs the app that cdk.json names, which checks the definition, bundles the functions and writes the CloudFormation
template with its assets to DIR (cdk.out). Needs no account and no network.`;

/** `steploop synth`: the exit code is 0 or 1, as the app's. */
export async function synth(args: readonly string[]): Promise<number> {
  const parsed = parse(args, { usage, options: { out: { type: 'string', default: 'cdk.out' } }, words: 0 });
  if (!parsed) return 0;
  const outdir = resolve(parsed.values.out);
  if ((await runApp({ folder: process.cwd(), outdir })) !== 0) return 1;
  console.log(`The template is in ${outdir}.`);
  return 0;
}
