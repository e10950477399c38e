import { describe, expect, test } from 'vitest';
import { says, scriptedModel } from '../../../testing/scripted-model.ts';
import { sessionWorld } from '../../support/session-world.ts';
import { resultsOf } from '../step/reading.fixture.ts';
import { asksFor, filesOf, reads, removes, writes } from './files.fixture.ts';

describe('the workspace in a step', () => {
  test('files that one call writes are readable in the next step', async () => {
    const model = scriptedModel(
      asksFor(['write', { path: 'src/a.ts', content: 'one' }]),
      asksFor(['read', { path: '/workspace/src/./a.ts' }]),
      says('Done.'),
    );
    const world = await sessionWorld({ tools: [writes(), reads(), removes] }, model);
    await world.say('Go');
    await world.settle();
    expect(resultsOf(await world.slots()).map(({ content }) => content)).toEqual(['wrote src/a.ts', 'one']);
    expect(await filesOf(world)).toEqual({ 'src/a.ts': 'one' });
  });

  test('later calls of a batch see the changes of earlier ones, and the tree includes all', async () => {
    const model = scriptedModel(
      asksFor(
        ['write', { path: 'a', content: '1' }],
        ['write', { path: 'a', content: '2', add: true }],
        ['read', { path: 'a' }],
        ['write', { path: 'b', content: 'gone' }],
        ['remove', { path: 'b' }],
      ),
      says('Done.'),
    );
    const world = await sessionWorld({ tools: [writes(), reads(), removes] }, model);
    await world.say('Go');
    await world.settle();
    expect(resultsOf(await world.slots())[2]?.content).toBe('12');
    expect(await filesOf(world)).toEqual({ a: '12' });
  });
});
