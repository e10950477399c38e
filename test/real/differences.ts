import type { EngineName } from '../support/real/engines.ts';

/** The contract tests that an engine fails, and who is right. docs/local.md tells the same to readers. */
export const differences: Readonly<Record<EngineName, Readonly<Record<string, string>>>> = {
  dynoxide: {},
  moto: {},
  s3: {},
};
