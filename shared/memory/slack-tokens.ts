import type { BotToken } from '../slack/bot-token.ts';
import type { SlackTokens } from '../slack/store.ts';

/** Bot tokens in memory. */
export function createSlackTokens(): SlackTokens {
  const tokens = new Map<string, BotToken>();
  return {
    async put(team, token) {
      const id = `slack/${team}`;
      tokens.set(id, token);
      return id;
    },

    async get(secretId) {
      const token = tokens.get(secretId);
      if (token === undefined) throw new Error(`there is no secret ${secretId}`);
      return token;
    },

    async remove(secretId) {
      tokens.delete(secretId);
    },
  };
}
