import type { Clock } from '../agent/ports/ports.ts';
import type { SessionKey } from '../contract/session.ts';
import type { Installation, SlackStore, UserSession } from '../slack/store.ts';
import { copy } from './copy.ts';

/** Slack's side of the table in memory. */
export function createSlackStore(clock: Pick<Clock, 'now'>): SlackStore {
  const installations = new Map<string, Installation>();
  const states = new Map<string, { tenant: string; expiresAt: number }>();
  const homes = new Map<string, Map<string, UserSession>>();
  const workspaces = new Map<string, Set<string>>();
  const channels = new Map<string, boolean>();
  const kept = new Map<string, string>();
  const turns = new Map<string, Set<string>>();
  const links = new Map<string, SessionKey>();
  const renewals = new Map<string, { of: number; until: number }>();
  let count = 0;
  const homeOf = (...parts: string[]) => {
    const key = parts.join('#');
    const home = homes.get(key) ?? new Map<string, UserSession>();
    homes.set(key, home);
    return home;
  };
  return {
    async installation(team) {
      return copy(installations.get(team));
    },
    async install(installation) {
      const known = installations.get(installation.team);
      if (known && known.tenant !== installation.tenant) return 'taken';
      installations.set(installation.team, copy(installation));
      return 'installed';
    },
    async uninstall(team, before) {
      const known = installations.get(team);
      if (known && known.installedAt >= before) return 'kept';
      installations.delete(team);
      return 'uninstalled';
    },
    async claimRenewal(team, expiresAt, until) {
      const known = renewals.get(team);
      const isTaken =
        known && (known.of > expiresAt || (known.of === expiresAt && known.until > clock.now()));
      if (isTaken) return false;
      renewals.set(team, { of: expiresAt, until });
      return true;
    },
    async issueState(tenant) {
      const state = `state${++count}`;
      states.set(state, { tenant, expiresAt: clock.now() + 600_000 });
      return state;
    },
    async redeemState(state) {
      const found = states.get(state);
      if (!found || found.expiresAt <= clock.now()) return undefined;
      states.delete(state);
      return found.tenant;
    },
    async once(team, name, value) {
      const key = `${team}#${name}`;
      const known = kept.get(key);
      if (known === undefined) kept.set(key, value);
      return { value: known ?? value, isNew: known === undefined };
    },
    async noteShared(team, channel, shared) {
      channels.set(`${team}#${channel}`, shared);
    },
    async isShared(team, channel) {
      return channels.get(`${team}#${channel}`);
    },
    async noteTurn({ team, channel, thread }, ts, by, most) {
      const key = `${team}#${channel}#${thread}`;
      if (by === 'person') turns.delete(key);
      if (by === 'person') return 0;
      const row = turns.get(key) ?? new Set<string>();
      turns.set(key, row);
      if (row.has(ts)) return [...row].indexOf(ts) + 1;
      if (row.size >= most) return most + 1;
      return row.add(ts).size;
    },
    async linkThread({ team, channel, thread }, session) {
      links.set(`${team}#${channel}#${thread}`, copy(session));
    },
    async linkedTo({ team, channel, thread }) {
      return copy(links.get(`${team}#${channel}#${thread}`));
    },
    async noteSession(tenant, team, user, session) {
      const workspace = `${tenant}#${session.place.team}`;
      workspaces.set(workspace, (workspaces.get(workspace) ?? new Set()).add(session.sessionId));
      const home = homeOf(tenant, team, user);
      const title = home.get(session.sessionId)?.title ?? session.title;
      home.set(session.sessionId, copy({ ...session, title }));
    },
    async sessionsIn(tenant, team, after, limit) {
      const ids = [...(workspaces.get(`${tenant}#${team}`) ?? [])].sort();
      return ids.filter((id) => id > after).slice(0, limit);
    },
    async sessionsOf(tenant, team, user) {
      return copy([...homeOf(tenant, team, user).values()].sort((a, b) => b.at - a.at));
    },
  };
}
