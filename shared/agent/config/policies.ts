import type { Policy } from './policy.ts';

/** The channels through which messages come to a session. */
export const channels = ['http', 'agui', 'chat', 'slack', 'channel', 'webhook', 'schedule'] as const;

/** The policies that apply to an agent's calls. */
export interface Policies {
  /** `requesterMayDecide: false` bars the people who asked for a run from allowing its calls. */
  readonly approvals?: { readonly requesterMayDecide: boolean };
  readonly policy?: Policy | undefined;
  readonly policyBy?:
    | {
        readonly channel?: Readonly<Partial<Record<(typeof channels)[number], Policy>>> | undefined;
        readonly role?: Readonly<Record<string, Policy>> | undefined;
      }
    | undefined;
}

/** All policies of an agent, without duplicates. */
export const policiesIn = ({ policy, policyBy }: Policies): readonly Policy[] => {
  const { channel = {}, role = {} } = policyBy ?? {};
  const all = [policy, ...Object.values(channel), ...Object.values(role)];
  return [...new Set(all)].flatMap((one) => one ?? []);
};
