import type { ToolCall } from '../../../shared/agent/session/slots.ts';
import type { Tool } from '../../../shared/agent/tools/tool.ts';
import { contentKey } from '../../../shared/agent/workspace/content.ts';
import { readTree, sorted } from '../../../shared/agent/workspace/tree.ts';
import { reply } from '../../../testing/scripted-model.ts';
import type { SessionWorld } from '../../support/session-world.ts';
import { tool } from '../step/reading.fixture.ts';

type More = Parameters<typeof tool>[2];

/** Writes a file, or appends to it: `{ path, content, add }`. */
export const writes = (name = 'write', more: More = {}): Tool =>
  tool(
    name,
    async ({ path, content, add }, { services: { workspace } }) => {
      const before = add ? text(await workspace.read(String(path))) : '';
      await workspace.write(String(path), before + String(content));
      return `wrote ${path}`;
    },
    { effect: 'idempotent', ...more },
  );

/** Reads a file. */
export const reads = (name = 'read', more: More = {}): Tool =>
  tool(name, async ({ path }, { services: { workspace } }) => text(await workspace.read(String(path))), more);

export const removes: Tool = tool(
  'remove',
  async ({ path }, { services: { workspace } }) => workspace.remove(String(path)),
  { effect: 'idempotent' },
);

export const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

let asked = 0;

/** A reply with several calls. Their ids count up over the whole test. */
export const asksFor = (...calls: readonly (readonly [name: string, input: object])[]) => {
  const wanted = calls.map(([name, input]): ToolCall => ({ id: `c${++asked}`, name, input }));
  return reply({
    stop: 'tool_use',
    content: wanted.map((call) => ({ type: 'tool_use', ...call })),
    calls: wanted,
  });
};

/** The committed workspace: text by path. */
export async function filesOf(world: SessionWorld, tree?: string): Promise<Record<string, string>> {
  const hash = tree ?? (await world.view()).session.workspace;
  if (!hash) return {};
  const files = sorted(await readTree(world.key, hash, world.blobs));
  const contents = files.map(async ({ path, hash }) => {
    const bytes = await world.blobs.getBytes(contentKey(world.key, hash));
    return [path, bytes && text(bytes)] as const;
  });
  return Object.fromEntries(await Promise.all(contents)) as Record<string, string>;
}
