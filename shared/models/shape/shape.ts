/** Replies of shapes (docs/shapes.md). Loaded by the first shape in a process. */

import { type Shape, shapeOf } from '../../agent/config/shape.ts';
import type { Delta, ModelRequest } from '../../agent/ports/provider.ts';
import type { ModelOutcome, Reply } from '../../agent/session/reply.ts';
import { noUsage } from '../../agent/session/session.ts';
import type { ShapeWork } from '../../agent/session/shape-work.ts';
import { callIdOf, type Decision } from './decision.ts';
import { map } from './map.ts';
import { pipeline, vote } from './rows.ts';
import { parallel, race } from './sides.ts';

/** The reply of a shape to a request: the same to the same one. Nothing is sent anywhere, and nothing costs anything. */
export function replyOf(
  { provider, request, model, work }: Pick<ModelRequest, 'provider' | 'request' | 'model' | 'work'>,
  onDelta: (delta: Delta) => void,
): ModelOutcome {
  const shape = shapeOf({ provider, request });
  if (!shape || !work)
    return failed('wrong_shape', 'make agents of this provider with map, parallel, pipeline, vote or race.');
  const decision = decide(shape, work);
  const base = { model, usage: noUsage };
  switch (decision.kind) {
    case 'ask': {
      const calls = decision.asks.map(({ name, task, place }) => ({
        ...{ id: callIdOf(work.slot, place), name, input: { task } },
      }));
      const content = calls.map((call) => ({ type: 'tool_use', ...call }));
      return replied({ ...base, stop: 'tool_use', content, calls });
    }
    case 'report':
      onDelta({ kind: 'text', text: decision.text });
      return replied({
        ...base,
        stop: 'end_turn',
        content: [{ type: 'text', text: decision.text }],
        calls: [],
      });
    case 'fail':
      return failed(decision.code, decision.message);
    default:
      return decision satisfies never;
  }
}

function decide(shape: Shape, work: ShapeWork): Decision {
  switch (shape.shape) {
    case 'map':
      return map(shape, work);
    case 'parallel':
      return parallel(shape, work);
    case 'pipeline':
      return pipeline(shape, work);
    case 'vote':
      return vote(shape, work);
    case 'race':
      return race(shape, work);
    default:
      return shape satisfies never;
  }
}

const replied = (reply: Reply): ModelOutcome => ({ kind: 'reply', reply });

const failed = (code: string, message: string): ModelOutcome => ({
  kind: 'failed',
  failure: { kind: 'fatal', code, message },
});
