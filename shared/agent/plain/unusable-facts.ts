/**
 * A session cannot begin, because a function of its agent threw or returned something unusable. The message does not include what
 * was thrown.
 */
export class UnusableFacts extends Error {
  override name = 'UnusableFacts';
}
