import type { ToolConfig } from '../agent/ports/ports.ts';

/** Settings and secrets by name, as given. */
export function createConfig(
  settings: Readonly<Record<string, string>> = {},
  secrets: Readonly<Record<string, string>> = {},
): ToolConfig {
  return {
    setting: (name) => settings[name],
    async secret(name) {
      const value = secrets[name];
      if (value === undefined) throw new Error(`there is no secret ${name}`);
      return value;
    },
  };
}
