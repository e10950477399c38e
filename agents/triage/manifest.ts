/** The manifest of a GitHub App for this agent: its permissions, and its events. */

/** The address of a deployment, and the address to which GitHub returns. */
export interface Addresses {
  /** The stack's output HttpUrl. */
  readonly httpUrl: string;
  /** Where GitHub sends the browser with a code, once the App is made. */
  readonly redirectUrl: string;
}

/** The content of GitHub's form field `manifest`. */
export const manifestOf = ({ httpUrl, redirectUrl }: Addresses) => ({
  name: 'Steploop triage',
  url: httpUrl,
  description: 'Reads new issues, labels them, and points their authors to what is known already.',
  public: false,
  hook_attributes: { url: `${httpUrl.replace(/\/+$/, '')}/hooks/github`, active: true },
  redirect_url: redirectUrl,
  default_permissions: { issues: 'write', metadata: 'read' },
  default_events: ['issues', 'issue_comment'],
});
