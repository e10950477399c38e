import { type ConsoleBrowser, consoleBrowser, signIn, type Tab } from './browser.ts';
import { type Embedded, type EmbeddedOptions, embedded } from './embedded.ts';
import { type RuleModel, ruleModel } from './rule-model.ts';

/** An embedded stack, and a real browser with a tab for its console. */
export interface ConsoleWorld extends AsyncDisposable {
  readonly model: RuleModel;
  readonly world: Embedded;
  readonly browser: ConsoleBrowser;
  readonly tab: Tab;
  /** The address of a page of the console. */
  at(path?: string): string;
  /** Signs the tab in, with the token of the deployment. */
  signIn(): Promise<void>;
}

/** @param rule the answers of the model */
export async function consoleWorld(
  rule: Parameters<typeof ruleModel>[0],
  options: Omit<EmbeddedOptions, 'model'> = {},
): Promise<ConsoleWorld> {
  const model = await ruleModel(rule);
  const [world, browser] = await Promise.all([embedded({ model, ...options }), consoleBrowser()]);
  const tab = await browser.tab();
  const at = (path = '') => `${world.stack.outputs.HttpUrl}/console${path}`;
  return {
    ...{ model, world, browser, tab, at },
    signIn: () => signIn(tab.page, at(`#token=${world.token}`)),
    async [Symbol.asyncDispose]() {
      await browser[Symbol.asyncDispose]();
      await world[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
  };
}
