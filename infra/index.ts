/** `steploop/cdk`: the stack of a deployment, for the user's own CDK app. */

export { SteploopStack } from './stack.ts';
