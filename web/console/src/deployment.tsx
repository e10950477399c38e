import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import type { ConsoleConfig } from '../../../shared/contract/console.ts';
import { type Client, connect, type Status } from '../../client/index.ts';
import type { Credential } from './sign-in/credential.ts';

/** The deployment that this page comes from, and how it is asked. */
export interface Deployment {
  readonly client: Client;
  /** What the WebSocket does; undefined before anything is followed. */
  readonly status: Status | undefined;
  /** Forgets who is signed in. */
  readonly leave: () => void;
}

const Place = createContext<Deployment | undefined>(undefined);

export function useDeployment(): Deployment {
  const deployment = useContext(Place);
  if (!deployment) throw new Error('nobody has signed in');
  return deployment;
}

interface ProviderProps {
  readonly config: ConsoleConfig;
  readonly credential: Credential;
  readonly onLeave: () => void;
  readonly children: ReactNode;
}

/** One client for all pages: its WebSocket opens with the first session that is looked at. */
export function DeploymentProvider({ config, credential, onLeave, children }: ProviderProps) {
  const [status, setStatus] = useState<Status>();
  const [client, setClient] = useState<Client>();
  useEffect(() => {
    const { socketUrl } = config;
    const made = connect({
      httpUrl: location.origin,
      socketUrl,
      token: credential.token,
      onStatus: setStatus,
    });
    setClient(made);
    return () => made.close();
  }, [config, credential]);
  if (!client) return null;
  return <Place value={{ client, status, leave: onLeave }}>{children}</Place>;
}
