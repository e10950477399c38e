/** When a guard's refusal waits for a person: never, only while a client is listening to the session, or always. */
export const asking = ['never', 'attended', 'always'] as const;
export type AskWhen = (typeof asking)[number];
