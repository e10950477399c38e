import { separator, type ToolSource } from '../shared/agent/tools/source.ts';
import type { Tool } from '../shared/agent/tools/tool.ts';
import type { AgentWorld } from './agent-world.ts';
import type { FakeTool, Rehearsal, ToolStart } from './rehearsal.ts';

/** Real ms to wait for a tool that waits for something real, before the clock moves on. */
const REAL_MS = 2_000;

/** Runs a tool, or its fake. Each start is recorded, and is a call at which a worker can die. */
export function watched(
  name: string,
  run: FakeTool,
  starts: ToolStart[],
  going: Set<Promise<unknown>>,
  world: () => AgentWorld,
): Tool['run'] {
  return (input, context) =>
    world().faults.around(`tool.${name}`, () => {
      starts.push({ name, input, idempotencyKey: context.idempotencyKey });
      return counted(going, Promise.resolve(run(input, context)));
    });
}

/** A source whose listing, and whose tools, are calls at which a worker can die. */
export function watchedSource(
  source: ToolSource,
  fakes: Rehearsal['tools'],
  starts: ToolStart[],
  going: Set<Promise<unknown>>,
  world: () => AgentWorld,
): ToolSource {
  return {
    ...source,
    list: (context) =>
      world().faults.around(`source.${source.name}`, async () =>
        counted(going, Promise.resolve(source.list(context))),
      ),
    get(tool) {
      const name = `${source.name}${separator}${tool.name}`;
      const run: FakeTool = (input, context) => (fakes?.[name] ?? source.get(tool))(input, context);
      return watched(name, run, starts, going, world);
    },
  };
}

export async function counted<T>(going: Set<Promise<unknown>>, result: Promise<T>): Promise<T> {
  going.add(result);
  try {
    return await result;
  } finally {
    going.delete(result);
  }
}

/** Lets real work proceed for a moment: the clock of a rehearsal must not run away from a tool that reads a file. */
export function aMomentFor(going: ReadonlySet<Promise<unknown>>): Promise<boolean> {
  if (going.size === 0) return Promise.resolve(false);
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), REAL_MS);
    const goOn = () => {
      clearTimeout(timer);
      resolve(true);
    };
    void Promise.race([...going]).then(goOn, goOn);
  });
}
