/** `steploop/ai-sdk`: the transport with which `useChat` of Vercel's AI SDK talks to an agent. It needs the package `ai`. */

export type { SteploopData, SteploopPassing } from '../../shared/contract/chat/chunks.ts';
export type { Token } from '../client/http.ts';
export { ProblemError } from '../client/problem.ts';
export {
  type SteploopTransport,
  type SteploopTransportOptions,
  type SteploopUIMessage,
  steploopTransport,
} from './transport.ts';
