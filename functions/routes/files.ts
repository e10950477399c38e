import { filesAt, restoreFiles } from '../../shared/agent/entrypoints/files.ts';
import { placeOf } from '../../shared/agent/lineage/blobs.ts';
import { contentKey } from '../../shared/agent/workspace/content.ts';
import { filePathOf, isUnder, PathError, pathOf } from '../../shared/agent/workspace/paths.ts';
import { sorted } from '../../shared/agent/workspace/tree.ts';
import { type FileInfo, FilesQuery, MAX_BODY_BYTES, RestoreBody } from '../../shared/contract/http.ts';
import { parseOr400, Refusal } from '../middleware/problem.ts';
import { json, jsonBody } from '../middleware/request.ts';
import { noSuchSession, type Route, sessionKeyOf } from './context.ts';

/** How long a link to a file is valid, in seconds. */
const LINK_SECONDS = 300;

/** `GET /sessions/{sessionId}/files`: the list of files, or one file with a link to it. */
export const listFiles: Route = async (event, caller, { io, links }) => {
  const key = sessionKeyOf(event, caller);
  const query = parseOr400(FilesQuery, event.queryStringParameters ?? {}, 'query');
  const wanted = query.path === undefined ? undefined : told(filePathOf, query.path);
  const under = told(pathOf, query.under ?? '');
  const { slot, tree, session } = found(await filesAt(key, query.slot, io));
  if (wanted === undefined) {
    const { after = '', limit } = query;
    const files = sorted(tree).filter(({ path }) => isUnder(path, under) && path > after);
    const page = files.slice(0, limit).map(({ path, bytes, hash }): FileInfo => ({ path, bytes, hash }));
    return json(200, { slot, files: page, ...(files.length > limit && { next: page.at(-1)?.path }) });
  }
  const file = tree.get(wanted);
  if (!file)
    throw new Refusal(404, 'No such file', {
      detail: 'GET /sessions/{sessionId}/files lists those that there are.',
    });
  const { path, bytes, hash } = file;
  // Files that an agent wrote are downloaded and never shown inline, so that a browser cannot render one as a page.
  const url = await links.downloadFrom(await placeOf(session, contentKey(key, hash), io.blobs), {
    name: path.split('/').at(-1) ?? path,
    mediaType: 'application/octet-stream',
    seconds: LINK_SECONDS,
  });
  const expiresAt = new Date(io.clock.now() + LINK_SECONDS * 1000).toISOString();
  return json(200, { slot, files: [{ path, bytes, hash, url, expiresAt } satisfies FileInfo] });
};

/** `POST /sessions/{sessionId}/restore`: restores the files to an earlier state. Nothing else of the session changes. */
export const postRestore: Route = async (event, caller, { io }) => {
  const key = sessionKeyOf(event, caller);
  const { slot } = jsonBody(event, RestoreBody, MAX_BODY_BYTES);
  const done = await restoreFiles(key, slot, io);
  if (done === 'busy')
    throw new Refusal(409, 'Session busy', {
      detail:
        'A run is going or waiting, and may change files. Stop it first (POST …/cancel), or wait for its end.',
    });
  found(done);
  return json(200, { restored: slot });
};

/** The requested item. Refuses if it does not exist. */
function found<Found>(asked: Found | 'no_session' | 'no_slot'): Found {
  if (asked === 'no_session') throw noSuchSession();
  if (asked === 'no_slot')
    throw new Refusal(404, 'No such turn', {
      detail: 'GET /sessions/{sessionId} says how many there are (`slots`); the first is 0.',
    });
  return asked;
}

/** A path of the workspace. Refuses an invalid one with the workspace's own explanation. */
function told(read: (path: string) => string, path: string): string {
  try {
    return read(path);
  } catch (error) {
    if (error instanceof PathError) throw new Refusal(400, 'Invalid query', { detail: error.message });
    throw error;
  }
}
