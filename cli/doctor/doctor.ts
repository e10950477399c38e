/** `steploop doctor`: looks at a project and its deployment, and says what is wrong and how to mend it. */

import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { accountReader } from '../../local/doctor-account.ts';
import { awsReader } from '../../local/doctor-aws.ts';
import { paint } from '../../local/paint.ts';
import { type Reach, reachIn } from '../../local/reach.ts';
import type { Deployment } from '../../shared/agent/define/deployment-keys.ts';
import { describeExport } from '../../shared/agent/define/facts.ts';
import type { DeploymentFacts } from '../../shared/contract/facts.ts';
import { httpClient, ProblemError } from '../../web/client/index.ts';
import { parse } from '../arguments.ts';
import { readEnvFile } from '../dev/project.ts';
import { valuesOf } from '../dev/values.ts';
import { Failed, WrongUsage } from '../ends.ts';
import { load } from '../eval/load.ts';
import { places } from '../sessions/place.ts';
import { accountOf } from './account.ts';
import { stackOf } from './aws.ts';
import { agentsAt, workAt } from './deployment.ts';
import { type Finding, skipped, wrong } from './finding.ts';
import { modelsOf } from './models.ts';
import { packagesOf, valuesIn } from './project.ts';
import { type SlackTokens, slackOf } from './slack.ts';
import { webhooksOf } from './webhooks.ts';

const usage = `steploop doctor [--outputs FILE] [--offline] [--json] [--definition FILE]

Looks at this project and at its deployment, and says what is wrong and how to mend it: values that are missing, models that do
not answer (it asks each for a few tokens), webhooks, a Slack app without the scopes or events that it needs, agents that are not
deployed as they are defined, sessions that wait too long, failed runs and deliveries, and with --outputs secrets, dead letters,
concurrency and alarms in AWS. It changes nothing.

  --outputs FILE      the outputs of the stack, which cdk deploy --outputs-file FILE writes
  --offline           call no model, and not Slack
  --json              print the findings as one JSON document
  --definition FILE   the definition (steploop.config.ts)

${places}

Exit codes: 0 nothing is wrong. 1 something is. 2 the command line is invalid.`;

/** Resolves with the exit code. */
export async function doctor(args: readonly string[]): Promise<number> {
  const parsed = parse(args, {
    usage,
    options: {
      outputs: { type: 'string' },
      offline: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      definition: { type: 'string', default: 'steploop.config.ts' },
    },
    words: 0,
  });
  if (!parsed) return 0;
  const { outputs, offline, json, definition } = parsed.values;
  const folder = process.cwd();
  const project = await projectOf(folder, definition);
  const named = outputs === undefined ? undefined : outputsIn(outputs);
  const found = [
    ...packagesOf(folder),
    ...project.findings,
    ...(project.read && !offline
      ? await modelsOf(project.read.deployment, project.read.facts, project.read.secrets)
      : []),
    ...(await deployed(placeHere(folder), project.read)),
    ...(project.read && !offline ? await slackOf(project.read.deployment.slack, tokensIn(folder)) : []),
    ...(named ? await stackOf(named, project.read?.facts, awsReader()) : []),
    ...(named ? await accountOf(named, accountReader()) : []),
  ];
  if (json) console.log(JSON.stringify(found, null, 2));
  else for (const line of linesOf(found)) console.log(line);
  return found.some(({ state }) => state === 'wrong') ? 1 : 0;
}

interface ReadProject {
  readonly deployment: Deployment;
  readonly facts: DeploymentFacts;
  readonly secrets: Readonly<Record<string, string>>;
}

async function projectOf(
  folder: string,
  file: string,
): Promise<{ readonly findings: readonly Finding[]; readonly read?: ReadProject }> {
  if (!existsSync(join(folder, file)))
    return { findings: [skipped('definition', `There is no ${file} in this folder.`)] };
  try {
    const { definition: deployment, scratch } = await load(folder, file, []);
    await rm(scratch, { recursive: true, force: true });
    const facts = describeExport(deployment);
    const values = valuesOf(facts, {
      set: [],
      secret: [],
      environment: process.env,
      file: readEnvFile({ folder }),
    });
    return { findings: valuesIn(facts, values), read: { deployment, facts, secrets: values.secrets } };
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
    return { findings: [wrong('definition', error.message, `Correct ${file}.`)] };
  }
}

/** Tokens of Slack in the environment or in `.env`: no definition declares them. */
function tokensIn(folder: string): SlackTokens {
  const file = readEnvFile({ folder });
  const value = (name: string) => process.env[name] || file[name];
  return { bot: value('SLACK_BOT_TOKEN'), config: value('SLACK_CONFIG_TOKEN') };
}

/** The deployment of the environment, or the one of this folder. */
function placeHere(folder: string): Reach | undefined {
  const { STEPLOOP_URL: url, STEPLOOP_TOKEN: token } = process.env;
  if (url && !token) throw new WrongUsage(`STEPLOOP_TOKEN is not set.\n\n${places}`);
  const place = url && token ? { httpUrl: url, token } : reachIn(join(folder, '.data'));
  return place && { ...place, httpUrl: place.httpUrl.replace(/\/+$/, '') };
}

async function deployed(place: Reach | undefined, read: ReadProject | undefined): Promise<Finding[]> {
  if (!place) return [skipped('deployment', 'STEPLOOP_URL is not set, and nothing has run here.')];
  const agents = await agentsAt(place.httpUrl, read?.deployment);
  if (agents.some(({ of, state }) => of === 'deployment' && state === 'wrong')) return agents;
  const work = await workAt(httpClient(place), Date.now()).catch((error: unknown) => {
    if (!(error instanceof ProblemError)) throw error;
    return [
      wrong(
        'token',
        `The deployment refuses it: ${error.message}.`,
        'Use a token of an administrator of the tenant: docs/identity.md.',
      ),
    ];
  });
  const hooks = read ? await webhooksOf(read.deployment.webhooks, place.httpUrl, read.secrets) : [];
  return [...agents, ...work, ...hooks];
}

const Outputs = z.record(z.string(), z.record(z.string(), z.string()));

/** The outputs of all stacks in a file of `cdk deploy --outputs-file`. Throws {@link Failed} if it is none. */
function outputsIn(file: string): Record<string, string> {
  let text: unknown;
  try {
    text = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Failed(`${file} cannot be read: ${(error as Error).message}`);
  }
  const { data } = Outputs.safeParse(text);
  if (!data) throw new Failed(`${file} has no outputs: write it with cdk deploy --outputs-file ${file}.`);
  return Object.assign({}, ...Object.values(data));
}

const signs = {
  ok: ['green', 'ok'],
  wrong: ['red', 'wrong'],
  look: ['yellow', 'look'],
  skipped: ['dim', '–'],
} as const;

/** The findings for people: the wrong ones first, each with how to mend it. */
export function linesOf(found: readonly Finding[], style = paint): string[] {
  const order = ['wrong', 'look', 'skipped', 'ok'] as const;
  const sorted = found.toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state));
  const count = (state: Finding['state']) => found.filter((one) => one.state === state).length;
  return [
    ...sorted.flatMap(({ state, of, says, mend }) => {
      const [colour, sign] = signs[state];
      return [
        `${style(colour, sign.padEnd(6))} ${of}: ${says}`,
        ...(mend === undefined ? [] : [`       ${style('dim', mend)}`]),
      ];
    }),
    '',
    `${count('wrong')} wrong, ${count('look')} worth a look, ${count('ok')} in order, ${count('skipped')} not checked.`,
  ];
}
