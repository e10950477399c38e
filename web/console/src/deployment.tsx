import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import type { ConsoleConfig } from '../../../shared/contract/console.ts';
import { type Client, connect, type Status } from '../../client/index.ts';
import type { Credential } from './sign-in/credential.ts';

/** The deployment that serves this page, and its client. */
export interface Deployment {
  readonly client: Client;
  /** State of the WebSocket; undefined before a session is followed. */
  readonly status: Status | undefined;
  /** Signs the user out. */
  readonly leave: () => void;
}

const Place = createContext<Deployment | undefined>(undefined);

export function useDeployment(): Deployment {
  const deployment = useContext(Place);
  if (!deployment) throw new Error('no user has signed in');
  return deployment;
}

interface ProviderProps {
  readonly config: ConsoleConfig;
  readonly credential: Credential;
  readonly onLeave: () => void;
  readonly children: ReactNode;
}

/** One client for all pages: its WebSocket opens with the first session that is shown. */
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
