import { SHAPE } from '../../agent/config/shape.ts';
import { readOnce } from '../../agent/plain/read-once.ts';
import type { Provider } from '../../agent/ports/provider.ts';

/** Loads the replies of shapes, once per process. Few agents are shapes. */
export const readShapes = readOnce(() => import('./shape.ts'));

/** A provider that also answers for shapes. */
export const withShapes = (models: Provider): Provider => ({
  complete: async (request, onDelta, signal) =>
    request.provider === SHAPE
      ? (await readShapes()).replyOf(request, onDelta)
      : models.complete(request, onDelta, signal),
});
