import { defined } from '../plain/defined.ts';
import { canonicalJson } from '../plain/hash.ts';
import { callsOf, textOf } from '../session/reply.ts';
import type { Slot, ToolCall, ToolResult } from '../session/slots.ts';

/** Characters of a report. At four to a token it has at most 4,000 tokens. */
export const MAX_REPORT = 16_000;
const GOAL_CHARS = 1_000;
const SAID_CHARS = 200;
const INPUT_CHARS = 200;
const RESULT_CHARS = 300;

/**
 * A bounded report of a run's latest steps for the model that assesses its progress: a JSON line for the goal and for each reply,
 * call and result. Every text from outside is a JSON string, so none of them can end its line or begin another one. The oldest
 * lines are left out first.
 *
 * @param asked the first and the last request of the run
 * @param steps number of replies to report
 */
export function progressReport(
  asked: readonly string[],
  slots: readonly Slot[],
  runId: string,
  steps: number,
): string {
  const goal = asked.map((text) => JSON.stringify({ goal: cut(text, GOAL_CHARS) }));
  const ofRun = slots.filter((slot) => slot.runId === runId);
  const replies = ofRun.filter((slot) => slot.kind === 'model' && slot.reply);
  const first = replies.at(-steps)?.n ?? 0;
  const lines = ofRun.filter(({ n }) => n >= first).flatMap(linesOf);
  let room = MAX_REPORT - goal.join('\n').length - OMITTED;
  const from =
    lines.findLastIndex((line) => {
      room -= line.length + 1;
      return room < 0;
    }) + 1;
  const omitted = from > 0 ? [JSON.stringify({ lines_left_out: from })] : [];
  return [...goal, ...omitted, ...lines.slice(from)].join('\n');
}

/** Room for the line that counts the omitted ones, and line breaks. */
const OMITTED = 40;

function linesOf(slot: Slot): string[] {
  if (slot.kind === 'tools') return slot.made ? [] : slot.results.map(resultLine);
  const { reply } = slot;
  if (!reply) return [];
  const said = textOf(reply.content).trim();
  return [
    ...(said ? [JSON.stringify({ step: slot.step, said: cut(said, SAID_CHARS) })] : []),
    ...callsOf(reply).map((call) => callLine(slot.step, call)),
  ];
}

const callLine = (step: number, { name, input }: ToolCall): string =>
  JSON.stringify({ step, calls: cut(name, INPUT_CHARS), with: cut(canonicalJson(input), INPUT_CHARS) });

const resultLine = ({ name, outcome, content, exitCode }: ToolResult): string =>
  JSON.stringify({
    ...{ result_of: cut(name, INPUT_CHARS), outcome },
    ...defined({ exitCode }),
    text: cut(content, RESULT_CHARS),
  });

const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most).toWellFormed()}…`;
