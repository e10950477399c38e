/** A session and its open requests, for people. Pure. */

import { about, count, dollars, tokens } from '../../local/amounts.ts';
import type { Paint } from '../../local/paint.ts';
import { printable, wrapped } from '../../local/printable.ts';
import type { WaitDetails } from '../../shared/contract/http.ts';
import type { State } from '../../shared/contract/session.ts';
import { isForPeople } from '../../shared/contract/waits.ts';
import type { SessionInfo } from '../../web/client/index.ts';

/** Colours of the states that matter most to a reader. */
export const colours: Readonly<Partial<Record<State, Parameters<Paint>[0]>>> = {
  completed: 'green',
  error: 'red',
  waiting_for_input: 'yellow',
};

/** The description of a session, in lines. */
export function cardOf(session: SessionInfo, paint: Paint): string[] {
  const { sessionId, agent, state, reason, run, lastEnding, totals, waits, grants } = session;
  const row = (name: string, value: string) => `${paint('dim', name.padEnd(8))} ${value}`;
  const shown = reason && reason !== state ? `${state}, ${reason}` : state;
  const spent = `${about(totals.estimated)}${dollars(totals.costUsd)} for models`;
  const infra = totals.infraUsd === undefined ? '' : `, ${dollars(totals.infraUsd)} for infrastructure`;
  return [
    row('session', printable(sessionId)),
    row('agent', printable(agent)),
    row('state', paint(colours[state] ?? 'bold', shown)),
    ...(run ? [row('run', `${run.id}: ${count(run.steps, 'step')}, ${count(run.toolCalls, 'call')}`)] : []),
    ...(lastEnding
      ? [row('ended', `${lastEnding.at}, ${lastEnding.code}: ${printable(lastEnding.message)}`)]
      : []),
    row('used', `${tokens(totals)}; ${spent}${infra}`),
    ...waits.map((wait) =>
      row(
        isForPeople(wait.kind) ? 'asks' : 'waits',
        `${wait.id}: ${wait.kind} of ${wait.tool}, until ${wait.expiresAt}`,
      ),
    ),
    ...grants.map(({ id, tool, scope, by }) =>
      row('allowed', `${id}: ${tool}, in this ${scope}, by ${printable(by)}`),
    ),
  ];
}

/** Everything that a decision is about, in lines. */
export function questionOf(wait: WaitDetails, width: number): string[] {
  const { id, kind, tool, message, whole, isWhole, isAsAsked, expiresAt } = wait;
  return [
    `${id}: ${kind} of ${tool}, until ${expiresAt}`,
    ...wrapped(printable(whole ?? message), width - 4).map((line) => `  ${line}`),
    ...(isWhole === false ? ['  (Some of its input cannot be shown.)'] : []),
    ...(isAsAsked ? [] : ['  (The tool has changed since: an approval has no effect.)']),
  ];
}
