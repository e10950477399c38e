/** The construct that deploys a definition: `import { Steploop } from 'steploop/cdk'`. */

export type { Output } from '../shared/contract/outputs.ts';
export { WrongDefinition } from './definition/wrong.ts';
export type {
  AlarmProps,
  BudgetProps,
  Compute,
  ComputeProps,
  ConcurrencyProps,
  DomainName,
  DomainProps,
  IdentityProps,
  LimitProps,
  ManagedProps,
  MemoryProps,
  RequestProps,
  SteploopProps,
  TelemetryProps,
  VpcProps,
} from './props.ts';
export { Steploop } from './steploop.ts';
