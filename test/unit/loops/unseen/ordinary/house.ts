import { each, one, type Run, rounds } from '../../runs/run.ts';

export const house: readonly Run[] = [
  {
    name: 'a die is rolled thirty times',
    tools: { roll_die: { effect: 'read', repeats: 'free' } },
    steps: each(30, (i) => one('roll_die', { sides: 6 }, [3, 1, 4, 1, 5, 2, 6, 5, 3, 5][i % 10])),
  },
  {
    name: 'a coin is tossed twenty times, thrown by a tool that changes something',
    tools: { toss: { effect: 'once', repeats: 'free' } },
    steps: each(20, (i) => one('toss', {}, [0, 1, 1, 0, 1][i % 5] ? 'heads' : 'tails')),
  },
  {
    name: 'a sensor of the values 0, 1 and 2 is watched for forty readings',
    tools: { read_sensor: { effect: 'read', repeats: 'free' } },
    steps: each(40, (i) => one('read_sensor', { id: 'door' }, [0, 0, 1, 0, 2, 0, 0, 1][i % 8])),
  },
  {
    name: 'seven lamps of seven rooms are switched off',
    tools: { switch_lamp: 'idempotent' },
    steps: each(7, (i) => one('switch_lamp', { room: i, on: false }, 'ok')),
  },
  {
    name: 'the heating is turned up by half a degree until it is warm',
    tools: { set_heating: 'idempotent', get_temperature: 'read' },
    steps: rounds(6, (i) => [
      one('set_heating', { degrees: 19 + i / 2 }, 'ok'),
      one('get_temperature', { room: 'hall' }, { degrees: 18.5 + i / 2 }),
    ]),
  },
  {
    name: 'the washing machine is asked for until it is done',
    tools: { machine: { effect: 'read', repeats: 'polls' } },
    steps: each(9, (i) => one('machine', { id: 'washer' }, i < 8 ? 'washing' : 'finished')),
  },
  {
    name: 'the volume is lowered six times by one step',
    tools: { volume_down: { effect: 'once', repeats: 'free', acknowledges: ['ok'] } },
    steps: each(6, () => one('volume_down', {}, 'ok')),
  },
  {
    name: 'the doors of a house are checked at night, all of them shut',
    tools: { door_state: 'read' },
    steps: each(9, (i) => one('door_state', { door: `d${i}` }, 'shut')),
  },
];
