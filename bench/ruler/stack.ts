/** A process with the embedded stack and nothing else. Arguments: a cloud assembly, a model's URL. Prints its address and token as JSON. */

import { embedded } from '../../test/support/embedded.ts';

/** Its address and token. */
export interface Reached {
  readonly httpUrl: string;
  readonly token: string;
}

const [assembly = '', url = ''] = process.argv.slice(2);
const world = await embedded({ assembly, model: { url } });
const reached: Reached = { httpUrl: world.stack.outputs.HttpUrl ?? '', token: world.token };
console.log(JSON.stringify(reached));
process.stdin.on('end', async () => {
  await world[Symbol.asyncDispose]();
  process.exit();
});
process.stdin.resume();
