/** Names of the metrics that `shared/aws/meter.ts` writes and `infra/` sets alarms on. */
export const metrics = {
  namespace: 'Steploop',
  /** Verdicts of guards, by agent, guard, action and code. */
  guardVerdicts: 'GuardVerdicts',
  /**
   * The counts of the loop guards, by agent: requested calls, calls that ran by how they ended, and a run's seconds of
   * work.
   */
  toolCalls: 'ToolCalls',
  toolSuccesses: 'ToolSuccesses',
  toolFailures: 'ToolFailures',
  activeSeconds: 'ActiveSeconds',
  /** Runs that ended with an error or at a limit, by reason. */
  runsFailed: 'RunsFailed',
  /** Deliveries of webhooks that could not be carried out and are kept. No dimensions. */
  deadDeliveries: 'DeadDeliveries',
} as const;
