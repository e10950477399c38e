import { describe, expect, test } from 'vitest';
import { EventRequest, type SaidEvent, SlackEvent } from '../../../shared/slack/payloads.ts';
import { clickerOf, NOWHERE, speakerOf } from '../../../shared/slack/person.ts';

/**
 * Slack's events from channels that are shared between a single workspace and one of an Enterprise Grid, in the shapes that
 * Slack's maintainers have recorded (bolt-python, tests/slack_bolt/request/test_internals.py); with our ids.
 */
const ALONE = 'T0ALONE';
const GRID = 'T0GRID';
const ORG = 'E0ORG';
const authorizations = (team_id: string, enterprise_id: string | null) => [
  { enterprise_id, team_id, user_id: 'U0BOT', is_bot: true, is_enterprise_install: false },
];
const message = { type: 'message', channel: 'C1', ts: '1.1', channel_type: 'channel' };
const mention = { ...message, type: 'app_mention' };

const own = (team: string, user: string) => ({ user, userTeam: team, external: false });
const other = (team: string, user: string) => ({ user, userTeam: team, external: true });

describe('the author of a message', () => {
  test.for([
    [
      'at home, where nothing is shared',
      { team: ALONE },
      { team_id: ALONE, is_ext_shared_channel: false },
      { ...mention, user: 'U1', team: ALONE },
      own(ALONE, 'U1'),
    ],
    [
      'at home in a shared channel',
      { team: ALONE },
      { team_id: ALONE, context_team_id: GRID, context_enterprise_id: ORG, is_ext_shared_channel: true },
      { ...message, user: 'U1', team: ALONE },
      own(ALONE, 'U1'),
    ],
    [
      'at home in a channel of the other organisation, whose workspace the envelope names',
      { team: ALONE },
      { team_id: GRID, enterprise_id: ORG, is_ext_shared_channel: true },
      { ...mention, user: 'U1', team: GRID, user_team: ALONE, source_team: ALONE },
      own(ALONE, 'U1'),
    ],
    [
      'of another organisation, in a mention, which names the organisation only',
      { team: ALONE },
      { team_id: ALONE, is_ext_shared_channel: true },
      { ...mention, user: 'W1', team: ALONE, user_team: ORG, source_team: ORG },
      other(ORG, 'W1'),
    ],
    [
      'of another organisation, in a message, which names the workspace',
      { team: ALONE },
      { team_id: GRID, enterprise_id: ORG, context_team_id: GRID, is_ext_shared_channel: true },
      { ...message, user: 'W1', team: GRID },
      other(GRID, 'W1'),
    ],
    [
      'of another workspace alone, as a workspace of a Grid hears it',
      { team: GRID, enterprise: ORG },
      { team_id: GRID, enterprise_id: ORG, is_ext_shared_channel: true },
      { ...mention, user: 'U1', team: GRID, user_team: ALONE, source_team: ALONE },
      other(ALONE, 'U1'),
    ],
    [
      'of the same organisation, named by it',
      { team: GRID, enterprise: ORG },
      { team_id: GRID, is_ext_shared_channel: true },
      { ...mention, user: 'W1', team: GRID, user_team: ORG },
      own(GRID, 'W1'),
    ],
    [
      'of the same organisation, as the authorization says',
      { team: GRID },
      { team_id: GRID, is_ext_shared_channel: true, authorizations: authorizations(GRID, ORG) },
      { ...mention, user: 'W1', team: GRID, user_team: ORG },
      own(GRID, 'W1'),
    ],
    [
      'of another workspace of the same organisation',
      { team: GRID, enterprise: ORG },
      { team_id: 'T0OTHER', enterprise_id: ORG, is_ext_shared_channel: true },
      { ...message, user: 'W1', team: 'T0OTHER' },
      own(GRID, 'W1'),
    ],
    [
      'of another workspace of the same organisation, in a channel that no other organisation shares',
      { team: GRID, enterprise: ORG },
      { team_id: GRID, enterprise_id: ORG, is_ext_shared_channel: false },
      { ...message, user: 'W1', team: 'T0OTHER', user_team: 'T0OTHER' },
      own(GRID, 'W1'),
    ],
    [
      'of an unknown team, in a shared channel',
      { team: ALONE },
      { team_id: ALONE, is_ext_shared_channel: true },
      { ...mention, user: 'U1' },
      other(NOWHERE, 'U1'),
    ],
    [
      'of another one where Slack does not say whether the channel is shared',
      { team: ALONE },
      { team_id: ALONE },
      { ...mention, user: 'U1', team: ALONE, user_team: 'T0OTHER' },
      other('T0OTHER', 'U1'),
    ],
  ] as const)('%s', ([, installed, envelope, event, person]) => {
    const request = EventRequest.parse({ type: 'event_callback', event_id: 'Ev1', event, ...envelope });
    if (request.type !== 'event_callback') throw new Error('no event');
    expect(speakerOf(SlackEvent.parse(event) as SaidEvent, request, installed)).toEqual(person);
  });
});

describe('the user of a click', () => {
  test.for([
    ['of the workspace', { team: ALONE }, ALONE, undefined, own(ALONE, 'U1')],
    ['of another one', { team: ALONE }, GRID, undefined, other(GRID, 'U1')],
    ['of another organisation', { team: ALONE }, ORG, undefined, other(ORG, 'U1')],
    ['of the same organisation', { team: GRID, enterprise: ORG }, ORG, undefined, own(GRID, 'U1')],
    ['of the same organisation, which the click names', { team: GRID }, ORG, ORG, own(GRID, 'U1')],
    [
      'of another one, whatever the click names',
      { team: GRID, enterprise: ORG },
      'E0X',
      'E0X',
      other('E0X', 'U1'),
    ],
    ['of an unknown team', { team: ALONE }, null, undefined, other(NOWHERE, 'U1')],
  ] as const)('%s', ([, installed, team_id, enterprise_id, person]) => {
    const payload = { user: { id: 'U1', team_id }, team: { id: installed.team, enterprise_id } };
    expect(clickerOf(payload, installed)).toEqual(person);
  });
});
