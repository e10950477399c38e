import * as z from 'zod';
import type { Answer } from './api.ts';
import { accessToken, type BotToken, botTokenOf, ends } from './bot-token.ts';
import { ask, webClient } from './web-api.ts';

const Renewed = z.object({
  access_token: accessToken,
  refresh_token: ends.refresh_token.unwrap().unwrap(),
  expires_in: ends.expires_in.unwrap().unwrap(),
});

/** Exchanges a refresh token for a token and the next refresh token (`oauth.v2.access`, `grant_type=refresh_token`). */
export async function renewToken(
  refresh: string,
  { apiUrl, clientId, clientSecret }: { apiUrl: string; clientId: string; clientSecret: string },
  clock: { now(): number },
): Promise<Answer<BotToken>> {
  const answer = await ask(Renewed, () =>
    webClient(apiUrl).apiCall('oauth.v2.access', {
      client_id: clientId,
      client_secret: clientSecret,
      grant_type: 'refresh_token',
      refresh_token: refresh,
    }),
  );
  return answer.kind === 'ok' ? { kind: 'ok', value: botTokenOf(answer.value, clock.now()) } : answer;
}
