import { expect, test } from 'vitest';
import type { Wire } from '../../local/stack/wire.ts';
import { embedded } from '../support/embedded.ts';
import { callTools, ruleModel, sayText } from '../support/rule-model.ts';

test('files of a session are edited in a step and from the queue, are listed, fetched by a link and restored; an edit costs two writes and its reads', async () => {
  const s3: string[][] = [[]];
  const wire: Wire = {
    before({ service, operation }) {
      if (service === 's3') s3.at(-1)?.push(operation);
    },
  };
  await using model = await ruleModel(({ turn }) => {
    s3.push([]);
    switch (turn) {
      case 0:
        return callTools(['draft', { path: 'src/é.bin', bytes: [0, 255, 254, 13, 10] }]);
      case 1:
        return callTools(
          ['draft', { path: 'src/é.bin', bytes: [1] }],
          ['draft_later', { path: 'later', text: 'l' }],
        );
      case 2:
        return callTools(['draft', { path: 'src/é.bin', bytes: [2] }]);
      default:
        return sayText('Done.');
    }
  });
  await using world = await embedded({ model, wire });
  const started = await world.api('POST', '/sessions', { agent: 'editor', message: 'Go.' });
  const id: string = started.body.sessionId;
  await world.atRest(id);
  const files = async (query = '') => (await world.api('GET', `/sessions/${id}/files${query}`)).body;

  // The step of each turn, from its reply on: contents and trees.
  console.log(`S3 requests by turn: ${s3.map((turn) => turn.join(' ') || 'none').join(' | ')}`);
  expect(s3[1]?.filter((one) => one === 'PutObject')).toHaveLength(2);
  expect(s3[3]?.filter((one) => one === 'PutObject')).toHaveLength(2);

  const now = await files();
  expect(now.files.map(({ path, bytes }: { path: string; bytes: number }) => [path, bytes])).toEqual([
    ['later', 1],
    ['src/é.bin', 7],
  ]);
  expect((await files('?slot=1')).files).toMatchObject([{ path: 'src/é.bin', bytes: 5 }]);
  const [file] = (await files(`?path=${encodeURIComponent('src/é.bin')}`)).files;
  const answer = await fetch(file.url);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('application/octet-stream');
  expect(answer.headers.get('content-disposition')).toMatch(/^attachment/);
  expect([...new Uint8Array(await answer.arrayBuffer())]).toEqual([0, 255, 254, 13, 10, 1, 2]);

  const restored = await world.api('POST', `/sessions/${id}/restore`, { slot: 1 });
  expect([restored.status, restored.body]).toEqual([200, { restored: 1 }]);
  expect((await files()).files).toMatchObject([{ path: 'src/é.bin', bytes: 5 }]);
  expect((await world.api('POST', `/sessions/${id}/restore`, { slot: 99 })).status).toBe(404);
});
