/** A session cannot begin, since a function of its agent threw or returned something that cannot be used. The message has no word of what was thrown. */
export class UnusableFacts extends Error {
  override name = 'UnusableFacts';
}
