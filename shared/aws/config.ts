import type { ToolConfig } from '../agent/ports/ports.ts';
import type { Secrets } from '../edge/secrets.ts';

export interface ConfigOptions {
  /** Values by setting. */
  readonly settings: Readonly<Record<string, string | undefined>>;
  /** Secrets Manager ids by setting. */
  readonly secretIds: Readonly<Record<string, string | undefined>>;
  readonly secrets: Secrets;
}

/** Settings as given, and secrets by the settings that hold their ids. */
export function createConfig({ settings, secretIds, secrets }: ConfigOptions): ToolConfig {
  return {
    setting: (name) => settings[name],
    async secret(name) {
      const id = secretIds[name];
      if (!id) throw new Error(`there is no secret ${name}`);
      return secrets.get(id);
    },
  };
}
