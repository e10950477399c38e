import type { MemoryScope } from '../shared/agent/memories/memory.ts';
import type { Memories, Owner } from '../shared/agent/memories/store.ts';

/** Facts of a rehearsal: the caller's, and those that all sessions of the tenant share. */
export type RehearsedMemory = Readonly<Record<MemoryScope, readonly string[]>>;

const ownersOf = (tenant: string, user: string): Readonly<Record<MemoryScope, Owner>> => ({
  user: { tenant, user },
  tenant: { tenant },
});

/** Saves facts as sessions of the day before would have, a minute apart. */
export async function rememberBefore(
  { user = [], tenant = [] }: Partial<RehearsedMemory>,
  by: { readonly tenant: string; readonly subject: string },
  memories: Memories,
  now: number,
): Promise<void> {
  const owners = ownersOf(by.tenant, by.subject);
  for (const [scope, texts] of [['user', user] as const, ['tenant', tenant] as const])
    for (const [i, text] of texts.entries()) {
      const fact = {
        id: `${scope[0]}${String(i).padStart(24, '0')}`,
        text,
        sessionId: 'before',
        by: [by.subject],
      };
      await memories.save(owners[scope], { ...fact, at: now - 86_400_000 + i * 60_000 });
    }
}

/** The facts now, oldest first. */
export async function rememberedNow(
  by: { readonly tenant: string; readonly subject: string },
  memories: Memories,
): Promise<RehearsedMemory> {
  const owners = ownersOf(by.tenant, by.subject);
  const textsOf = async (owner: Owner) => (await memories.all(owner)).map(({ text }) => text);
  return { user: await textsOf(owners.user), tenant: await textsOf(owners.tenant) };
}
