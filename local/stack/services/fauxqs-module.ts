import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The URL of a module of fauxqs's SQS, none of which it exports. Throws if this version has no such file. */
export function fauxqsModule(name: string): string {
  const folders = createRequire(import.meta.url).resolve.paths('fauxqs') ?? [];
  const file = folders.map((folder) => join(folder, `fauxqs/dist/sqs/${name}`)).find(existsSync);
  if (!file) throw new Error(`fauxqs has no dist/sqs/${name}: this version of it has its queues elsewhere`);
  return pathToFileURL(realpathSync(file)).href;
}
