/** What a tool fetches with: loaded with the first fetch. */
export { guardedEgress } from '../../egress/guarded.ts';
export { httpSend } from '../../egress/send.ts';
