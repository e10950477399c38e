import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Where a stack keeps its state. Every path is undefined if the state is in memory. */
export interface DataFolder {
  dynamodb: string | undefined;
  queues: string | undefined;
  secrets: string | undefined;
  kms: string | undefined;
  /** Lets another stack use the folder. */
  release(): void;
}

/**
 * Takes a folder for one running stack, creating it if needed. Throws if another stack, of this process or another, is using it:
 * two LevelDBs on one folder would take both down.
 */
export function takeDataFolder(folder: string | undefined): DataFolder {
  if (folder === undefined)
    return {
      ...{ dynamodb: undefined, queues: undefined, secrets: undefined, kms: undefined },
      release: () => undefined,
    };
  mkdirSync(folder, { recursive: true });
  // A SQLite lock, because the operating system drops it with the process; a pid file could outlive a crash.
  const lock = new DatabaseSync(join(folder, 'lock.db'), { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    throw new Error(
      `${folder} is in use by another running stack: stop that one, or start with another data folder`,
      { cause: error },
    );
  }
  return {
    dynamodb: join(folder, 'dynamodb'),
    queues: join(folder, 'queues'),
    secrets: join(folder, 'secrets.json'),
    kms: join(folder, 'kms.key'),
    release: () => lock.close(),
  };
}
