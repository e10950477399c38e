import { readOnce } from '../plain/read-once.ts';
import type { ReaderOf } from './source.ts';

const readLibrary = readOnce(() => import('./schema/json-schema.ts'));

/**
 * Loads the reader of inputs by JSON Schema, once per process. Most agents have no tool that needs it, so no cold start includes
 * it. Zod's own `fromJSONSchema` would add 46 KB to each, since it uses every kind of schema. The work of a reader is bounded
 * (docs/adr/0013-tool-sources.md).
 *
 * @param schemas pinned schemas that inputs will be read by: RE2 (151 KB) is loaded only if one of these has a regular
 * expression. Absent while they are not known
 */
export async function loadReaders(schemas?: object): Promise<ReaderOf> {
  const { readersFor } = await readLibrary();
  return readersFor(schemas);
}
