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
 *
 * @param heard gets the secrets that are read, so that they can be kept out of what is told of the call
 */
export function configFor(
  asker: Asker,
  config: ToolConfig,
  heard: string[] = [],
): Pick<ToolContext<string, string>, 'setting' | 'secret'> {
  const askedFor = (what: 'settings' | 'secrets', name: string): void => {
    if (!asker[what]?.includes(name))
      throw new Error(`${asker.called} does not ask for ${name}, so add it to its ${what}`);
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
      const value = await config.secret(name);
      heard.push(...partsOf(value));
      return value;
    },
  };
}

/** A secret, and the texts in it if it is JSON: others may repeat one of them alone. */
const partsOf = (value: string): readonly string[] => [
  ...[value, value.trim()].filter((one) => one !== ''),
  ...[...value.matchAll(/"([^"\\]{8,})"/g)].flatMap(([, inner]) => inner ?? []),
];
