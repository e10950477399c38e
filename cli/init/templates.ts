/** The templates of `steploop init`: each is a folder of `template/`, next to `common/`, which every project gets. */

/** A kind of project to begin with. */
export interface Template {
  /** One line for people who choose. */
  readonly explains: string;
  /** Packages that its definition needs besides those of every project. Their versions are those that the tests run with. */
  readonly packages: readonly string[];
}

/** Without `--template`. */
export const DEFAULT_TEMPLATE = 'support';

export const templates: Readonly<Record<string, Template>> = {
  support: { explains: 'an agent with one tool that looks orders up (the default)', packages: [] },
  'slack-support': {
    explains: 'an agent that answers in Slack, and refunds orders after a click there',
    packages: [],
  },
  'pr-reviewer': { explains: 'a webhook of GitHub, and an agent that reviews pull requests', packages: [] },
  'stripe-dunning': {
    explains: 'a webhook of Stripe, and an agent that writes to customers whose payment failed',
    packages: ['stripe'],
  },
  'daily-report': {
    explains: 'a schedule, and an agent that asks others for parts of a report',
    packages: [],
  },
};

/** The templates with what each is, one a line. */
export const templateList = (): string =>
  Object.entries(templates)
    .map(([name, { explains }]) => `  ${name.padEnd(16)}${explains}`)
    .join('\n');
