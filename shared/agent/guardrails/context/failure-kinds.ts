/** The kind of failure that an error reports: by its own kind if it names one, else by its words. */
export type FailureKind =
  | 'permission'
  | 'not_found'
  | 'syntax'
  | 'type'
  | 'network'
  | 'timeout'
  | 'validation'
  | 'resource'
  | 'logic'
  | 'runtime'
  | 'unknown';

/** The first that fits wins, so specific signs stand before general ones. */
const signs: readonly (readonly [FailureKind, RegExp])[] = [
  ['timeout', /^Error \[timeout]|timed? ?out|deadline exceeded|ETIMEDOUT/i],
  [
    'network',
    /ECONN|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|no such host|socket hang up|fetch failed|\bDNS\b|network/i,
  ],
  ['permission', /EACCES|EPERM|permission|forbidden|unauthori[sz]ed|access denied|not allowed|\b40[13]\b/i],
  [
    'resource',
    /ENOSPC|ENOMEM|EMFILE|out of memory|no space left|quota|rate.?limit|too many requests|\b429\b/i,
  ],
  ['not_found', /^Error \[unknown_tool]|ENOENT|not found|no such|does not exist|cannot find|\b404\b/i],
  ['syntax', /syntax|unexpected (?:token|end|identifier)|parse error|unterminated/i],
  ['type', /TypeError|is not a function|is not iterable|type mismatch|not assignable|cannot read propert/i],
  [
    'validation',
    /^Error \[bad_arguments]|invalid|required|schema|must be|missing|expected .* (?:got|received)/i,
  ],
  ['logic', /assert|expected|already exists|conflict|\b409\b/i],
  ['runtime', /exception|Traceback|panic|Error:|exit(?:ed)?\b|"exitCode"|^Error \[failed]|\b5\d\d\b/i],
];

/**
 * @param error the head of the text that the model was told
 */
export const kindOfFailure = (error: string): FailureKind =>
  signs.find(([, sign]) => sign.test(error))?.[0] ?? 'unknown';
