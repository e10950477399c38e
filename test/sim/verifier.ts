import * as z from 'zod';
import { defineTool } from '../../shared/agent/define/tool.ts';
import { hash } from '../../shared/agent/plain/hash.ts';
import type { Tool } from '../../shared/agent/tools/tool.ts';
import { CALLER } from './caller.ts';
import { running } from './tools.ts';

/** Whether files pass: two in three times, and always the same for the same files. */
export const passes = (files: string): boolean => Number.parseInt(hash(files).slice(0, 4), 16) % 3 > 0;

const verifiers = new Map<string, Tool>();

/** The tool with which the system verifies the files that calls have made. No model calls it. */
export function verifier(where: 'inline' | 'queue'): Tool {
  const known = verifiers.get(where) ?? make(where);
  verifiers.set(where, known);
  return known;
}

const make = (where: 'inline' | 'queue'): Tool =>
  defineTool({
    name: 'bash',
    description: 'Verifies files.',
    effect: 'idempotent',
    approval: 'never',
    where,
    evidence: { shell: true, workspace: true },
    input: z.object({ command: z.string() }),
    settings: [CALLER],
    async run(_input, { tenant, sessionId, idempotencyKey, signal, setting, services: { workspace } }) {
      const { faults, scheduler, ledger, callers } = running();
      const caller = callers.get(setting(CALLER));
      if (!caller) throw new Error('a tool runs without a caller');
      const { random, trace } = scheduler;
      trace.say(caller.id, 'verifies', idempotencyKey);
      const ms = faults.strikes('slowTool') ? random.between(1_000, 40_000) : random.between(1, 300);
      await caller.host.clock.sleep(ms, signal);
      const files = await Promise.all(
        (await workspace.list()).map(
          async ({ path }) => `${path}: ${new TextDecoder().decode(await workspace.read(path))}`,
        ),
      );
      const text = files.join('\n');
      // Its key has the call's id before the digest of its arguments.
      const callId = idempotencyKey.split(':').at(-2) ?? '';
      const { verified } = ledger.facts({ tenant, sessionId });
      verified.set(callId, [...(verified.get(callId) ?? []), text]);
      return { exitCode: passes(text) ? 0 : 1, stdout: 'verified' };
    },
  });
