import { dollars } from '../local/amounts.ts';
import { printable } from '../local/printable.ts';
import { type HttpClient, httpClient, type ScheduleInfo, type TickInfo } from '../web/client/index.ts';
import { parse } from './arguments.ts';
import { WrongUsage } from './ends.ts';
import { columns } from './sessions/columns.ts';
import { failureOf, placeOf, places } from './sessions/place.ts';

const usage = `steploop schedules list [--json]      schedules that you may see
steploop schedules show ID [--json]   one of them, and what became of its last ticks
steploop schedules create NAME MESSAGE --agent AGENT (--cron PATTERN | --every 15m | --at 2026-12-24T09:00)
                                      [--zone Europe/Berlin] [--into new|same] [--overlap skip|queue|cancel] [--catch-up none|last|all]
                                      creates one, which begins runs in your name
steploop schedules pause ID           begins nothing until it is resumed
steploop schedules resume ID          goes on with the first tick after now
steploop schedules run ID             begins one more tick now
steploop schedules delete ID          deletes one; those of the definition are removed by a deploy

${places}

Exit codes: 0 done. 1 failed. 2 the command line is invalid.`;

const text = { type: 'string' } as const;
const options = {
  json: { type: 'boolean' },
  ...{ agent: text, cron: text, every: text, at: text, zone: text },
  ...{ into: text, overlap: text, 'catch-up': text },
} as const;

type Values = NonNullable<ReturnType<typeof parse<typeof options>>>['values'];

/** `steploop schedules`: uses the public HTTP API. */
export async function schedules(args: readonly string[]): Promise<number> {
  const parsed = parse(args, { usage, options, words: 3 });
  if (!parsed) return 0;
  const { values, positionals } = parsed;
  const run = commandOf(positionals, values);
  const place = placeOf(process.env, process.cwd());
  try {
    const { value, lines } = await run(httpClient(place));
    console.log(values.json ? JSON.stringify(value, null, 2) : lines.join('\n'));
    return 0;
  } catch (error) {
    throw failureOf(error, place.httpUrl);
  }
}

/** A result, as JSON and for people. */
interface Shown {
  readonly value: unknown;
  readonly lines: readonly string[];
}

type Run = (client: HttpClient) => Promise<Shown>;

function commandOf([what, id = '', message, ...more]: readonly string[], values: Values): Run {
  if (what === 'create') return createOf(id, message ?? '', values);
  if (message !== undefined || more.length > 0) throw new WrongUsage(`Too many words.\n\n${usage}`);
  if (what === 'list') return async (client) => listed(await client.schedules());
  const commands: Readonly<Record<string, Run>> = {
    show: async (client) => {
      const [schedule, { ticks }] = await Promise.all([client.schedule(id), client.ticks(id, { limit: 20 })]);
      return { value: { ...schedule, ticks }, lines: [...linesOf(schedule), '', ...linesOfTicks(ticks)] };
    },
    pause: async (client) => shown(await client.pauseSchedule(id)),
    resume: async (client) => shown(await client.resumeSchedule(id)),
    run: async (client) => {
      const value = await client.runSchedule(id);
      return {
        value,
        lines: [`tick ${value.tickId} begins; steploop schedules show ${id} shows its session`],
      };
    },
    delete: async (client) => {
      await client.deleteSchedule(id);
      return { value: { deleted: id }, lines: [`deleted ${id}`] };
    },
  };
  const command = what !== undefined && Object.hasOwn(commands, what) ? commands[what] : undefined;
  if (!command || id === '') throw new WrongUsage(`Name a command, and the id of a schedule.\n\n${usage}`);
  return command;
}

function createOf(name: string, message: string, values: Values): Run {
  const { agent, cron, every, at, zone, into, overlap, 'catch-up': catchUp } = values;
  const when = [
    ...(cron === undefined ? [] : [{ cron }]),
    ...(every === undefined ? [] : [{ every }]),
    ...(at === undefined ? [] : [{ at }]),
  ];
  const [only, second] = when;
  if (!name || !message || agent === undefined || !only || second)
    throw new WrongUsage(`Give a name, a message, --agent, and one of --cron, --every and --at.\n\n${usage}`);
  const chosen = { ...(zone && { zone }), ...(into && { into }), ...(overlap && { overlap }) };
  const schedule = { name, message, agent, when: only, ...chosen, ...(catchUp && { catchUp }) };
  // The server says what is wrong with a word that it does not know.
  return async (client) =>
    shown(await client.createSchedule(schedule as Parameters<HttpClient['createSchedule']>[0]));
}

const shown = (schedule: ScheduleInfo): Shown => ({ value: schedule, lines: linesOf(schedule) });

function listed(all: readonly ScheduleInfo[]): Shown {
  const rows = all.map((one) => [
    one.scheduleId,
    one.state,
    one.nextAt ?? '',
    whenOf(one),
    one.agent,
    printable(one.name),
  ]);
  const table = columns(
    ['id', 'state', 'next', 'when', 'agent', 'name'],
    rows,
    process.stdout.columns ?? 120,
  );
  return { value: all, lines: all.length === 0 ? ['no schedules'] : table.map((row) => row.join('  ')) };
}

const whenOf = ({ when, zone }: ScheduleInfo): string =>
  'every' in when ? `every ${when.every}` : `${'cron' in when ? when.cron : when.at} ${zone}`;

function linesOf(schedule: ScheduleInfo): string[] {
  const { scheduleId, name, agent, state, why, nextAt, message, into, overlap, catchUp, createdBy } =
    schedule;
  const { last, waiting, budget, spentUsd = 0, declared } = schedule;
  const session = typeof into === 'string' ? `${into} session` : `session ${into.sessionId}`;
  return [
    `schedule  ${scheduleId} ${printable(name)}`,
    `agent     ${agent}, into ${session}, overlap ${overlap}, catch up ${catchUp}`,
    `when      ${whenOf(schedule)}`,
    `state     ${state}${why === undefined ? '' : `: ${printable(why)}`}${nextAt === undefined ? '' : `, next at ${nextAt}`}`,
    `by        ${createdBy}${declared ? ', in the definition' : ''}`,
    ...(budget ? [`budget    ${dollars(spentUsd)} of ${dollars(budget.usd)} in a ${budget.per}`] : []),
    ...(last ? [`last      ${last.at} in ${last.sessionId}`] : []),
    ...(waiting > 0 ? [`waiting   ${waiting}`] : []),
    ...(message === undefined ? [] : [`message   ${printable(message)}`]),
  ];
}

const linesOfTicks = (ticks: readonly TickInfo[]): string[] =>
  ticks.length === 0
    ? ['no ticks yet']
    : ticks.map(({ at, outcome, sessionId = '', detail = '', missedUntil }) =>
        [at, outcome, sessionId, printable(detail), missedUntil === undefined ? '' : `until ${missedUntil}`]
          .filter(Boolean)
          .join('  '),
      );
