/**
 * Patterns by which a credential is recognized in a text: prefixes that issuers use so that scanners find them, and names that
 * writers give to secrets. A memory is read by later sessions and shown to people, so it must not contain any.
 */
const FORMS: readonly (readonly [what: string, form: RegExp])[] = [
  ['a private key', /-----BEGIN [A-Z ]*PRIVATE KEY-----/],
  ['a Steploop API key', /\bsl_[A-Za-z0-9][\w-]{0,63}\.[a-z0-9]{12}_[0-9a-f]{64}\b/],
  ['an AWS access key', /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/],
  ['a GitHub token', /\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,})/],
  ['a GitLab token', /\bglpat-[\w-]{20,}/],
  ['a Slack token', /\bxox[abeoprs]-[\w-]{10,}|\bxapp-[\w-]{10,}/],
  ['a Slack webhook', /\bhooks\.slack\.com\/services\/\w+\/\w+\/\w+/],
  ['an API key of a model server or a payment service', /\b[sr]k[-_](?:[a-z0-9]+[-_])*[A-Za-z0-9]{16,}/],
  ['a webhook secret', /\bwhsec_[A-Za-z0-9+/=]{16,}/],
  ['a Google API key', /\bAIza[\w-]{35}/],
  ['an npm token', /\bnpm_[A-Za-z0-9]{30,}/],
  ['a JWT', /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*/],
  ['a bearer token', /\bbearer\s+[\w.~+/-]{16,}/i],
  ['a URL with a password', /\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@]*:[^\s/:@]+@/i],
  [
    'a password',
    /\b(?:password|passwd|passwort|passphrase|pwd|kennwort|mot de passe|contraseña|client[ _-]?secret|secret[ _-]?key|api[ _-]?key|access[ _-]?token)\w*["'”]?\s*(?:[:=]|\b(?:is|ist|est|es)\b)\s*["'“]?(?=[^\s"']*[\d!@#$%^&*_+~-])[^\s"']{6,}/i,
  ],
];

/** The kind of credential in the text, as far as its form shows; undefined if none is found. */
export const credentialIn = (text: string): string | undefined =>
  FORMS.find(([, form]) => form.test(text))?.[0];
