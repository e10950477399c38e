import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import type { ConsoleConfig } from '../../../shared/contract/console.ts';
import { type Client, connect, type Status } from '../../client/index.ts';
import type { Credential } from './sign-in/credential.ts';

/** The deployment that this page comes from, and how it is asked. */
export interface Deployment {
  readonly client: Client;
  /** What the WebSocket does; undefined before anything is followed. */
  readonly status: Status | undefined;
  /** Asks the HTTP API for what the client has no word for. Undefined: it is not there, or not for whoever has signed in. */
  readonly read: (path: string) => Promise<unknown>;
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
  const read = async (path: string) => {
    const response = await fetch(path, {
      headers: { authorization: `Bearer ${await credential.token()}` },
    });
    if (response.status === 403 || response.status === 404) return undefined;
    if (!response.ok) throw new Error(`${path}: HTTP ${response.status}`);
    return response.json();
  };
  return <Place value={{ client, status, read, leave: onLeave }}>{children}</Place>;
}
