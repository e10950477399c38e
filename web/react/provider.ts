import { createContext, createElement, type ReactNode, useContext, useEffect, useMemo } from 'react';
import type { Client } from '../client/connect.ts';
import { type ClientSource, Deployment } from './deployment.ts';

const Context = createContext<Deployment | undefined>(undefined);

/** Props of `SteploopProvider`. */
export interface SteploopProviderProps {
  /**
   * A client, which stays open until you close it; or a function that creates one,
   * `() => connect({ httpUrl, socketUrl, token })`. The function is called only in the browser, when a hook first needs
   * the client, and that client is closed with the provider. A different function means another deployment, so write it
   * outside of the component, or in `useCallback`.
   */
  readonly client: ClientSource;
  readonly children?: ReactNode;
}

/** Provides the hooks below it with their client. */
export function SteploopProvider({ client, children }: SteploopProviderProps): ReactNode {
  const deployment = useMemo(() => new Deployment(client), [client]);
  useEffect(() => deployment.hold(), [deployment]);
  return createElement(Context.Provider, { value: deployment }, children);
}

/** The deployment of the provider above. Throws if there is none. */
export function useDeployment(): Deployment {
  const deployment = useContext(Context);
  if (!deployment) throw new Error('there is no <SteploopProvider> above this component');
  return deployment;
}

/**
 * Returns the client of the provider above, for anything without a hook. Call the returned function in effects and
 * handlers, not while rendering.
 */
export function useSteploop(): () => Client {
  const deployment = useDeployment();
  return useMemo(() => () => deployment.client, [deployment]);
}
