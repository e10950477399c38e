import { managedGibSecond, rates } from '../../shared/aws/rates.ts';
import type { Used } from './reference-run.ts';

/** USD for a million steps, by service. */
export type BillOf = Readonly<Record<(typeof services)[number], number>>;

export const services = ['compute', 'DynamoDB', 'API Gateway', 'SQS', 'CloudWatch Logs', 'S3'] as const;

/** Defaults of functions on managed instances (infra/compute.ts): GiB of an environment, and its concurrent invocations. */
const ENVIRONMENT = { gib: 2, atOnce: 64 };

/** @param managed whether the step function is on managed instances, where its seconds are a share of an instance's */
export function billOf(used: Used, managed: boolean): BillOf {
  const million = (usd: number) => (usd * 1e6) / used.steps;
  const share = ENVIRONMENT.gib / (ENVIRONMENT.atOnce * rates.managed.used);
  const stepUsd = managed
    ? used.stepSeconds * share * managedGibSecond()
    : (used.stepGbSeconds * rates.gbSeconds) / 1e6;
  const priced = (...parts: readonly (readonly [count: number, aMillion: number])[]) =>
    million(parts.reduce((sum, [count, aMillion]) => sum + (count * aMillion) / 1e6, 0));
  return {
    compute:
      million(stepUsd) +
      priced([used.otherGbSeconds, rates.gbSeconds], [used.invocations, rates.invocations]),
    DynamoDB: priced([used.writes, rates.writes], [used.reads, rates.reads]),
    'API Gateway': priced(
      [used.pushes, rates.pushes],
      [used.connectionMinutes, rates.connectionMinutes],
      [used.httpRequests, rates.httpRequests],
    ),
    SQS: priced([used.queueRequests, rates.queueRequests]),
    'CloudWatch Logs': priced([used.logKb, rates.logKb]),
    S3: priced([used.puts, rates.puts], [used.gets, rates.gets]),
  };
}

export const sumOf = (bill: BillOf): number => services.reduce((sum, service) => sum + bill[service], 0);
