import type { Answer, Label, SlackApi, Target } from './api.ts';
import type { Outgoing } from './outgoing.ts';

/**
 * Posts a message that has no run.
 *
 * @param since epoch ms of the first try, if there was one: it may have posted the message
 */
export async function postOnce(
  api: SlackApi,
  target: Target,
  message: Outgoing,
  label: Label,
  since: number | undefined,
): Promise<Answer<{ ts: string }>> {
  if (since !== undefined) {
    const known = await api.ownMessages(target, since);
    const found = known.kind === 'ok' && known.value.find((one) => one.label?.slot === label.slot);
    if (found) return { kind: 'ok', value: { ts: found.ts } };
    if (known.kind === 'limited' || known.kind === 'unknown') return known;
  }
  return api.post(target, message, label);
}
