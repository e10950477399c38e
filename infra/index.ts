/** The construct that deploys a definition: `import { Steploop } from 'steploop/cdk'`. */

export type { Output } from '../shared/contract/outputs.ts';
export { WrongDefinition } from './definition/wrong.ts';
export type { Compute, DomainName, ManagedProps, SteploopProps, VpcProps } from './props.ts';
export { Steploop } from './steploop.ts';
