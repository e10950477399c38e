/**
 * The attributes with content: what people, models and tools have said, in any item of a tenant. Everything else stays
 * readable, because conditions, indexes and lists compare it: keys, states, times, counts, subjects, places in Slack,
 * callback URLs, and names of blobs, which are hashes of their content.
 */
const sealedAttributes: ReadonlySet<string> = new Set([
  // Slots, events, results, schedules, pinned definitions; packs of slots.
  'body',
  // The event log, and its newest frames on HEAD.
  'frames',
  'tail',
  // HEAD: the run and its open batch, endings, guards, permissions, proposals.
  'run',
  'batch',
  'lastEnding',
  'metadata',
  'nudges',
  'grants',
  'proposed',
  'decisions',
  // Accepted events: hash of the text, names of files, names of senders.
  'digest',
  'attachments',
  'caller',
  'carries',
  // Announced uploads.
  'fileName',
  // Lists and the App Home of Slack.
  'title',
  'message',
  // Facts of agents, what outside listeners have been told, why a delivery failed.
  'text',
  'memory',
  'detail',
]);

export const hasContent = (attribute: string): boolean => sealedAttributes.has(attribute);

/** Attributes whose entries are written one by one: each entry is sealed by itself. */
export const isSealedByEntry = (attribute: string): boolean => attribute === 'decisions';
