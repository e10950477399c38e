import type { EngineName } from '../support/real/engines.ts';

/** The contract tests that an engine fails, and who is right. docs/local.md tells the same to readers. */
export const differences: Readonly<Record<EngineName, Readonly<Record<string, string>>>> = {
  dynoxide: {},
  moto: {},
  s3: {
    'aws: the texts that tools keep must have names and sizes that the store takes, or the error says so':
      'The same: the longest name has 720 bytes, escaped.',
    'the longest names fit into the keys of objects, also of results and events that are stored beside their items':
      'AWS takes 1,024 bytes. This server keeps objects as files, whose names have at most 255 bytes.',
  },
};
