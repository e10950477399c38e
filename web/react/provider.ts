import { createContext, createElement, type ReactNode, useContext, useEffect, useMemo } from 'react';
import type { Client } from '../client/connect.ts';
import { type ClientSource, Deployment } from './deployment.ts';

const Context = createContext<Deployment | undefined>(undefined);

/** What `SteploopProvider` takes. */
export interface SteploopProviderProps {
  /**
   * A client, which stays open until you close it; or a function that makes one, `() => connect({ httpUrl, socketUrl, token })`: it is
   * called in the browser alone, when a hook first needs it, and what it made is closed with the provider. Another function than the one
   * before means another deployment, so write it outside of the component, or in `useCallback`.
   */
  readonly client: ClientSource;
  readonly children?: ReactNode;
}

/** Gives the hooks below it their client. */
export function SteploopProvider({ client, children }: SteploopProviderProps): ReactNode {
  const deployment = useMemo(() => new Deployment(client), [client]);
  useEffect(() => deployment.hold(), [deployment]);
  return createElement(Context.Provider, { value: deployment }, children);
}

/** The deployment of the provider above. Throws where there is none. */
export function useDeployment(): Deployment {
  const deployment = useContext(Context);
  if (!deployment) throw new Error('there is no <SteploopProvider> above this component');
  return deployment;
}

/** Gets the client of the provider above, for what no hook does. Call what it returns in effects and handlers, not while rendering. */
export function useSteploop(): () => Client {
  const deployment = useDeployment();
  return useMemo(() => () => deployment.client, [deployment]);
}
