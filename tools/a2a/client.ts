/** The used parts of the A2A SDK. It is large, so only code that speaks with an agent imports it. */
export {
  type Message,
  type Part,
  Role,
  type SendMessageRequest,
  type Task,
  TaskState,
} from '@a2a-js/sdk';
export {
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
