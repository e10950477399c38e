/** `steploop/client`: the typed client, for browsers and for Node. It needs nothing but web standards. */

export {
  type Client,
  type ConnectOptions,
  connect,
  type From,
  type Listener,
  type Subscription,
} from './connect.ts';
export { emptyView, fold, type View } from './view.ts';
