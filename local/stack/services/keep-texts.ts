import { createRequire } from 'node:module';

type Memory = new (options: object) => object;

let done = false;

/**
 * Stores tables without a folder as texts. dynalite's database in memory would store bytes, of which a key of some hundred holds
 * a block of 8 KB for as long as it lives: that takes several times the memory, and each item must be decoded before it is read.
 * Once per process, before dynalite is loaded.
 */
export function keepTexts(): void {
  if (done) return;
  done = true;
  const dynalites = createRequire(createRequire(import.meta.url).resolve('dynalite'));
  const database: { MemoryLevel: Memory } = dynalites('memory-level');
  const { MemoryLevel } = database;
  database.MemoryLevel = class extends MemoryLevel {
    constructor(options: object) {
      super({ ...options, storeEncoding: 'utf8' });
    }
  };
}
