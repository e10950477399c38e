import type { ToolConfig } from '../ports/ports.ts';
import type { Tool, ToolContext } from './tool.ts';

/** A tool or source that asks the deployment for values, and their names. */
export type Asker = Pick<Tool, 'settings' | 'secrets'> & {
  /** `the tool refund`. */
  readonly called: string;
};

/**
 * The deployment's values for a tool or a source: only those that it declares, so that the definition shows what a function is
 * granted.
 */
export function configFor(
  asker: Asker,
  config: ToolConfig,
): Pick<ToolContext<string, string>, 'setting' | 'secret'> {
  const askedFor = (what: 'settings' | 'secrets', name: string): void => {
    if (!asker[what]?.includes(name))
      throw new Error(`${asker.called} does not ask for ${name}: add it to its ${what}`);
  };
  return {
    setting(name) {
      askedFor('settings', name);
      const value = config.setting(name);
      if (value === undefined) throw new Error(`this deployment has no setting ${name}`);
      return value;
    },
    async secret(name) {
      askedFor('secrets', name);
      return config.secret(name);
    },
  };
}
