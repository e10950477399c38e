/** The implementation of a tool's fetch, loaded with the first fetch. */
export { guardedEgress } from '../egress/guarded.ts';
export { httpSend } from '../egress/send.ts';
