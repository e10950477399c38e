import { beforeEach, expect, test } from 'vitest';
import { onCommands } from '../../../functions/slack/commands.ts';
import { runJob } from '../../../functions/slack/jobs.ts';
import { installedFor, whoseEvent } from '../../../shared/slack/installed.ts';
import { slackApp } from '../../support/slack-app.ts';
import * as recorded from '../../support/slack-recordings.ts';

const ORG = 'E0STARSHIP';
let it: Awaited<ReturnType<typeof slackApp>>;
beforeEach(async () => {
  it = await slackApp();
  await it.context.store.uninstall(recorded.TEAM, 2_000);
  await it.context.store.install({
    ...{ team: ORG, orgWide: true, enterprise: ORG, tenant: 'acme', botUser: recorded.BOT },
    secretId: await it.context.tokens.put(ORG, { token: 'xoxb-org' }),
    installedAt: 1_000,
  });
});

/** An event of a workspace whose organisation has the app (docs.slack.dev/enterprise/organization-ready-apps). */
const inWorkspace = (team: string | null) => ({
  team_id: team,
  enterprise_id: ORG,
  authorizations: [
    { enterprise_id: ORG, team_id: team, user_id: recorded.BOT, is_bot: true, is_enterprise_install: true },
  ],
});

test('a mention in any workspace reaches the organisation’s installation, and its thread is one session', async () => {
  await it.event(recorded.appMention(), inWorkspace('T1'));
  await it.event(recorded.messageInChannel(), { ...inWorkspace('T2'), event_id: 'Ev2' });
  const sessions = await it.context.store.sessionsOf('acme', ORG, recorded.USER);
  expect(sessions.map(({ place }) => place)).toEqual([
    { team: ORG, channel: recorded.CHANNEL, thread: recorded.TS },
  ]);
  const key = { tenant: 'acme', sessionId: sessions[0]?.sessionId ?? '' };
  // A stream is shown to a member of a workspace.
  const [destination] = await it.context.io.outbound.list(key);
  expect(destination?.config).toMatchObject({ user: recorded.USER, workspace: 'T1' });
});

test('a click belongs to a member of the organisation, whichever workspace it names, or none', async () => {
  for (const team of [{ id: 'T1', domain: 'one', enterprise_id: ORG }, null]) {
    const clicked = recorded.blockActions('steploop.approve', 'w1');
    await it.click({
      ...clicked,
      team,
      enterprise: { id: ORG, name: 'Starship' },
      is_enterprise_install: true,
      user: { ...clicked.user, team_id: team ? 'T1' : ORG },
    });
  }
  expect(it.decided).toHaveLength(2);
  for (const one of it.decided)
    expect(one).toMatchObject({ by: { slack: { team: ORG, userTeam: ORG, external: false } } });
});

test('a person of another organisation is external there too', async () => {
  const clicked = recorded.blockActions('steploop.approve', 'w1');
  const team = { id: 'T1', domain: 'one', enterprise_id: ORG };
  await it.click({
    ...clicked,
    team,
    is_enterprise_install: true,
    user: { ...clicked.user, team_id: 'T0PARTNER' },
  });
  expect(it.decided).toMatchObject([{ by: { slack: { userTeam: 'T0PARTNER', external: true } } }]);
});

test('a command is answered where it was used, and so is the App Home', async () => {
  const form = recorded.slashCommand('hello', { enterprise_id: ORG, is_enterprise_install: 'true' });
  expect((await onCommands(form, it.context)).body).toContain('On it');
  await it.event({ type: 'app_home_opened', user: recorded.USER, tab: 'home' }, inWorkspace('T1'));
  expect(it.sent).toMatchObject([
    { kind: 'command', team: ORG, workspace: recorded.TEAM },
    { kind: 'home', team: ORG },
  ]);
});

test('a workspace with its own installation uses that one', async () => {
  const own = { team: 'T1', tenant: 'other', botUser: 'U0OWN', secretId: 'x', installedAt: 1 };
  await it.context.store.install(own);
  const { store } = it.context;
  const envelope = recorded.envelope({}, inWorkspace('T1'));
  expect((await installedFor(store, ...whoseEvent(envelope)))?.team).toBe(ORG);
  const ofOne = recorded.envelope({}, { ...recorded.from('T1'), enterprise_id: ORG });
  expect((await installedFor(store, ...whoseEvent(ofOne)))?.team).toBe('T1');
  expect(await installedFor(store, { team: 'T9' }, { enterprise: 'E9' })).toBeUndefined();
});

test('one workspace that leaves does not affect the others; the organisation is deleted with its token', async () => {
  await it.event({ type: 'app_uninstalled' }, { team_id: 'T1', enterprise_id: ORG, authorizations: [] });
  const [job] = it.sent.splice(0);
  if (!job) throw new Error('no job');
  await runJob(job, it.context);
  expect(await it.context.store.installation(ORG)).toBeDefined();
  it.api.isKnown = async () => ({ kind: 'refused', error: 'account_inactive' });
  await runJob({ ...job, at: 5_000 } as typeof job, it.context);
  expect(await it.context.store.installation(ORG)).toBeUndefined();
});
