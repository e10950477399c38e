import { rates } from '../../shared/aws/rates.ts';
import type { Used } from './reference-run.ts';

/** The price of another system for the same run. */
export interface Other {
  readonly name: string;
  /** USD for a million steps: its own price, plus that of the compute that waits for the model, if it is separate. */
  readonly usd: number;
  readonly waiting: number;
  /** How it is calculated. */
  readonly how: string;
  readonly source: string;
}

/**
 * From their price pages, as copies and digests showed them in November 2026, without free allotments, plans and discounts. A
 * step is two durable operations there: the model's call and the tool's. None of them pushes a reply's text to clients from a
 * queue of its own, so none includes pushes.
 */
export function others({ stepSeconds, stepGbSeconds, steps }: Used): readonly Other[] {
  const seconds = stepSeconds / steps;
  const onLambda = (stepGbSeconds / steps) * rates.gbSeconds + rates.invocations;
  return [
    {
      name: 'Step Functions, Standard',
      usd: 3 * 25,
      waiting: onLambda,
      how: '3 transitions (model, choice, tool) at $25 a million; a function that asks the model and waits, with as much memory as ours',
      source: 'https://aws.amazon.com/step-functions/pricing/',
    },
    {
      name: 'Lambda durable functions',
      usd: 2 * 8,
      waiting: onLambda,
      how: '2 operations at $8 a million (the page’s example); the function waits inside of an operation; data written and kept: price not found, not in it',
      source: 'https://aws.amazon.com/lambda/pricing/',
    },
    {
      name: 'Temporal Cloud',
      usd: 2 * 50,
      waiting: 0,
      how: '2 activities at $50 a million actions; your workers and $0.042 a GB-hour of active storage are not in it',
      source: 'https://docs.temporal.io/cloud/pricing',
    },
    {
      name: 'Vercel Workflow',
      usd: 2 * 25,
      waiting: ((seconds * 2) / 3600) * 0.0106 * 1e6,
      how: '2 steps at $2.50 per 100,000; a function of 2 GB waits at $0.0106 a GB-hour, alone in its instance; its CPU, queues and storage are not in it',
      source: 'https://vercel.com/docs/workflows/pricing',
    },
    {
      name: 'AgentCore Runtime',
      usd: ((seconds * 0.5) / 3600) * 0.00945 * 1e6,
      waiting: 0,
      how: 'half a GB for as long as the step lasts, at $0.00945 a GB-hour; CPU at $0.0895 an hour and the idle time at a session’s end are not in it, and nothing is durable',
      source: 'https://aws.amazon.com/bedrock/agentcore/pricing/',
    },
  ];
}
