/** `--slack-socket`: connects the local deployment to a real Slack workspace. */

import { openSocketSlack, type SocketSlack } from '../local/slack/socket/open.ts';
import { readTokens, type SocketTokens, tokenNames } from '../local/slack/socket/tokens.ts';
import type { DeploymentFacts } from '../shared/contract/facts.ts';
import { Failed, WrongUsage } from './ends.ts';

/**
 * Takes the tokens out of `--secret NAME=VALUE`, because no definition declares them.
 *
 * @returns the tokens, and the other values of `--secret`
 */
export function tokensIn(
  secret: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  file: Readonly<Record<string, string | undefined>>,
): { tokens: SocketTokens; others: readonly string[] } {
  const nameOf = (pair: string) => tokenNames.find((name) => pair.startsWith(`${name}=`));
  const given = Object.fromEntries(
    tokenNames.map((name) => [
      name,
      secret.findLast((pair) => nameOf(pair) === name)?.slice(name.length + 1) ||
        environment[name] ||
        file[name],
    ]),
  );
  const read = readTokens(given);
  if (read.kind === 'wrong') throw new WrongUsage(read.message);
  return { tokens: read.tokens, others: secret.filter((pair) => nameOf(pair) === undefined) };
}

/** Asks Slack which app and workspace the tokens belong to. Throws {@link Failed} if that fails, or if no agent answers in Slack. */
export async function openSlack(
  { slack }: Pick<DeploymentFacts, 'slack'>,
  tokens: SocketTokens,
  say: (text: string) => void,
): Promise<SocketSlack> {
  if (!slack) throw new Failed(nobodyAnswers);
  return openSocketSlack({ tokens, say });
}

export const nobodyAnswers = 'No agent of this definition answers in Slack: give it `slack` (docs/slack.md).';
