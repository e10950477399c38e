import { commandOf, targetOf, tellsFailure } from '../session/facts.ts';
import type { WorkLog } from '../session/fold.ts';
import { callsOf } from '../session/reply.ts';
import type { Slot, ToolCall, ToolResult } from '../session/slots.ts';
import { texts } from '../texts.ts';
import { tidy } from './clear.ts';
import { isOmitted, type Omission } from './omissions.ts';

/** Entries of each kind that are kept, the newest ones, and characters of one text: a fold's slot stays small. */
const MOST = { tools: 40, files: 40, errors: 12, chars: 160 };

const noWork: WorkLog = { tools: [], files: [], errors: [] };
const none: ReadonlyMap<number, Omission> = new Map();

/**
 * The work done in `slots`, added to the list `before`.
 *
 * @param omitted parts that the model does not read: a head that quoted them would be refused as they were
 */
export function workLogOf(
  slots: readonly Slot[],
  before: WorkLog = noWork,
  omitted: ReadonlyMap<number, Omission> = none,
): WorkLog {
  const tools = new Map(before.tools.map((one) => [one.name, one]));
  const files = new Map(before.files.map((one) => [one.path, one]));
  const errors = new Map(before.errors.map((one) => [keyOf(one), one]));
  for (const { call, result, why } of executedIn(slots, omitted)) {
    const { name, outcome } = result;
    const failed = tellsFailure(result) || outcome !== 'ok';
    const { calls = 0, failed: failures = 0 } = tools.get(name) ?? {};
    tools.set(name, { name, calls: calls + 1, failed: failures + (failed ? 1 : 0) });

    const path = call && targetOf(call);
    if (path && !failed) {
      const used = files.get(short(path))?.tools ?? [];
      files.delete(short(path));
      files.set(short(path), { path: short(path), tools: [...new Set([...used, name])] });
    }
    const error = { tool: name, about: short(path ?? (call && commandOf(call)) ?? '') };
    errors.delete(keyOf(error));
    const says = why ? texts.omitted.result[why] : tidy(result.content);
    if (failed) errors.set(keyOf(error), { ...error, says: short(says) });
  }
  return {
    tools: [...tools.values()].slice(-MOST.tools),
    files: [...files.values()].slice(-MOST.files),
    errors: [...errors.values()].slice(-MOST.errors),
  };
}

/**
 * The list as the model reads it, newest first, in at most `tokens`. The words of tools are quoted, because they are not ours.
 * Empty if nothing was done.
 */
export function workLogText({ tools, files, errors }: WorkLog, tokens: number): string {
  const counted = ({ name, calls, failed }: WorkLog['tools'][number]) =>
    `- ${quoted(name)}: ${calls} ${calls === 1 ? 'call' : 'calls'}${failed > 0 ? `, ${failed} failed` : ''}`;
  const parts = [
    { title: 'Calls:', lines: tools.map(counted) },
    {
      title: 'Not mended:',
      lines: errors.map(
        ({ tool, about, says }) => `- ${quoted(tool)}${about && ` ${quoted(about)}`}: ${quoted(says)}`,
      ),
    },
    {
      title: 'Touched:',
      lines: files.map(({ path, tools: by }) => `- ${quoted(path)} (${by.map(quoted).join(', ')})`),
    },
  ];
  let room = tokens * 4;
  const take = (line: string): boolean => {
    room -= line.length + 1;
    return room >= 0;
  };
  return parts
    .flatMap(({ title, lines }) => {
      const [first, ...rest] = lines.toReversed();
      if (first === undefined || !take(`${title}${first}`)) return [];
      const end = rest.findIndex((line) => !take(line));
      return [title, first, ...(end === -1 ? rest : rest.slice(0, end))];
    })
    .join('\n');
}

interface Executed {
  readonly call: ToolCall | undefined;
  readonly result: ToolResult;
  /** Why its result is not read. */
  readonly why: Omission['why'] | undefined;
}

/** The calls that have results, with them. */
function executedIn(slots: readonly Slot[], omitted: ReadonlyMap<number, Omission>): Executed[] {
  let calls: readonly ToolCall[] = [];
  return slots.flatMap((slot) => {
    if (slot.kind === 'tools') {
      const omission = omitted.get(slot.n);
      return slot.results.flatMap((result, at): Executed[] =>
        result.outcome === 'cancelled'
          ? []
          : [
              {
                call: calls.find(({ id }) => id === result.callId),
                result,
                why: isOmitted(omission?.results, at) ? omission?.why : undefined,
              },
            ],
      );
    }
    if (slot.reply) calls = callsOf(slot.reply);
    return [];
  });
}

const keyOf = ({ tool, about }: { readonly tool: string; readonly about: string }): string =>
  JSON.stringify([tool, about]);

const short = (text: string): string =>
  text.length > MOST.chars ? `${text.slice(0, MOST.chars - 1).toWellFormed()}…` : text;

const quoted = (text: string): string => JSON.stringify(text);
