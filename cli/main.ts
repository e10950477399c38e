#!/usr/bin/env node
/** `steploop`: makes a project, writes its template, and manages the sessions of a deployment. */

import { nearest } from '../shared/agent/plain/nearest.ts';
import { exitCodeOf, WrongUsage } from './ends.ts';
import { init } from './init/init.ts';
import { manifest } from './manifest.ts';
import { onNode24 } from './node.ts';
import { slack } from './slack.ts';
import { synth } from './synth.ts';

/** Runs a command with its arguments; resolves with the exit code. */
type Command = (args: readonly string[]) => Promise<number>;

const commands: Readonly<Record<string, Command>> = {
  init,
  dev: (args) => onNode24(async () => (await import('./dev/dev.ts')).dev(args)),
  synth,
  eval: (args) => onNode24(async () => (await import('./eval/eval.ts')).evaluate(args)),
  slack,
  doctor: (args) => onNode24(async () => (await import('./doctor/doctor.ts')).doctor(args)),
  sessions: async (args) => (await import('./sessions/sessions.ts')).sessions(args),
  history: async (args) => (await import('./history.ts')).history(args),
  guards: async (args) => (await import('./guards.ts')).guards(args),
  skills: (args) => onNode24(async () => (await import('./skills/skills.ts')).skills(args)),
  schedules: async (args) => (await import('./schedules.ts')).schedules(args),
  tenants: async (args) => (await import('./tenants.ts')).tenants(args),
  people: async (args) => (await import('./people.ts')).people(args),
  mcp: async (args) => (await import('./mcp/mcp.ts')).mcp(args),
};

const USAGE = `steploop COMMAND

  init NAME           makes the folder NAME: a project with an agent, its test and its stack; --help lists templates
  dev                 runs this project on this machine, applies edits, and lets you talk to its agents
  synth [--out DIR]   writes the CloudFormation template of this project, offline
  slack manifest      prints the manifest of your Slack app, for the address that Slack calls, or for Socket Mode
  eval                plays cases against the agents of this project, scores them, and reports regressions
  doctor              says what is wrong with this project and its deployment, and how to mend it
  sessions            shows, follows, messages, decides, stops and exports sessions of a deployment, or of the local one
  history             the last days of a deployment, or of the local one: runs, failures, durations and cost
  guards              says what each preset of guards would have said to a stored session, and when
  skills              adds, lists and checks the skills of this project
  schedules           lists, creates, pauses, runs and deletes schedules of a deployment, or of the local one
  people              deletes the data of a person from a deployment, or from the local one
  tenants             shows and deletes the data key of a tenant of a deployment, or of the local one
  mcp [AGENT…]        serves agents of a deployment, or of the local one, as tools to an MCP client

  --version           prints the version
  --help              this; COMMAND --help explains a command

Exit codes: 0 done, 1 failed, 2 the command line is invalid.`;

process.exitCode = await main(process.argv.slice(2));

async function main([name, ...args]: readonly string[]): Promise<number> {
  if (name === undefined || name === '--help' || name === '-h') {
    (name ? console.log : console.error)(USAGE);
    return name ? 0 : 2;
  }
  if (name === '--version' || name === '-v') {
    console.log(manifest.version);
    return 0;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  return exitCodeOf(() => {
    if (!command) throw new WrongUsage(unknown(name));
    return command(args);
  });
}

function unknown(name: string): string {
  const meant = nearest(name, Object.keys(commands));
  return `There is no command ${name}.${meant ? ` Did you mean ${meant}?` : ''} steploop --help lists them.`;
}
