import type { Policy } from './policy.ts';

/** Which ways messages come to a session. */
export const channels = ['http', 'agui', 'chat', 'slack', 'webhook'] as const;

/** Which policies an agent's calls are held to. */
export interface Policies {
  /** Who asks for a run may be barred from allowing its calls. */
  readonly approvals?: { readonly requesterMayDecide: boolean };
  readonly policy?: Policy | undefined;
  readonly policyBy?:
    | {
        readonly channel?: Readonly<Partial<Record<(typeof channels)[number], Policy>>> | undefined;
        readonly role?: Readonly<Record<string, Policy>> | undefined;
      }
    | undefined;
}

/** All policies of an agent, each once. */
export const policiesIn = ({ policy, policyBy }: Policies): readonly Policy[] => {
  const { channel = {}, role = {} } = policyBy ?? {};
  const all = [policy, ...Object.values(channel), ...Object.values(role)];
  return [...new Set(all)].flatMap((one) => one ?? []);
};
