export const REDACTED = '[redacted]';

/** The source of a pattern: names of secrets, in any spelling. */
export const NAME =
  'secret|passw\\w*|pwd|api[-_ ]?key|authorization|cookie|credentials?|private[-_ ]?key|(?:access|refresh|id|auth|session|bot|user)[-_ ]?token';

/** Forms of secrets in a text. The first group is kept. Each form takes linear time. */
const forms: readonly RegExp[] = [
  /()-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
  // Tokens with a prefix by which scanners know them: OpenAI, Anthropic, Stripe, GitHub, GitLab, Slack, AWS, Google, npm, and ours.
  /()\b(?:sk-[\w.-]{4,}|[srp]k_(?:live|test)_\w{8,}|gh[pousr]_\w{8,}|github_pat_\w{8,}|glpat-[\w-]{8,}|xox[abeoprs]-[\w-]{8,}|xapp-[\w-]{8,})/g,
  /()\b(?:(?:AKIA|ASIA)\w{8,}|AIza[\w-]{20,}|ya29\.[\w-]{8,}|npm_\w{30,}|hf_\w{20,}|whsec_[\w+/=]{8,}|slt_\w{20,}|sl_[\w.-]{40,}|eyJ[\w-]{6,}\.[\w.-]{6,})/g,
  /(\bbearer\s{1,4})[\w.~+/=-]{4,}/gi,
  /(\b[Bb]asic\s{1,4})(?=[\w+/-]*[A-Z\d=])[\w+/=-]{8,}/g,
  /(:\/\/[^\s/:@]{0,200}:)[^\s/@]{1,500}(?=@)/g,
  new RegExp(
    `((?:${NAME})[\\w-]{0,20}["']?\\s{0,4}[=:]\\s{0,4}["']?)(?:(?:bearer|basic)\\s+)?[^\\s"'&,;}]{3,}`,
    'gi',
  ),
  // A parser's "unexpected token: function" is none.
  /(\btoken["']?\s{0,4}(?:=\s{0,4}["']?|:\s{0,4}["']?(?=[^\s"'&,;}]{0,200}\d)))[^\s"'&,;}]{3,}/gi,
  /(\s--?[\w-]{0,40}(?:secret|token|passw|pwd|api-?key|credential)[\w-]{0,20}[= ]["']?)[^\s"'&]+/gi,
];

/**
 * A text without secrets: the words of a model server, an MCP server, a tool or a service about itself, before they reach a log, an event or
 * an error. One function for all of them: known values go first, in whatever form, then everything that looks like a secret.
 *
 * @param known secrets that the other side may repeat, such as the key that it was sent
 */
export function withoutSecrets(text: string, known: readonly string[] = []): string {
  const open = known.reduce(
    (rest, one) => (one.length < SHORTEST ? rest : rest.replaceAll(one, REDACTED)),
    text,
  );
  return forms.reduce((rest, form) => rest.replace(form, `$1${REDACTED}`), open);
}

/** Characters of the shortest value that counts as a secret. A shorter one would take letters out of every word. */
const SHORTEST = 4;
