import type { Approvals } from '../define.ts';
import { canonicalJson } from '../hash.ts';
import type { ToolCall } from '../slots.ts';
import type { Wait } from '../waits.ts';
import type { Tool } from './define.ts';

/** What a person is asked about a call, if anything. */
export type Ask = Pick<Wait, 'message'> & { readonly kind: 'approval' | 'question' };

/** Characters of a call's arguments that a request for approval shows. */
const MAX_SHOWN = 2_000;

/** Whom a call must wait for. Arguments that are wrong need nobody: the call fails by itself (A13). Pure. */
export function askFor(call: ToolCall, tool: Tool | undefined, { effects }: Approvals): Ask | undefined {
  if (!tool) return undefined;
  const input = parse(tool, call.input);
  if (input.kind === 'wrong') return undefined;
  if (tool.where === 'person') return { kind: 'question', message: questionIn(input.value, call) };
  if (!mustApprove(tool, input.value, effects)) return undefined;
  return { kind: 'approval', message: `${call.name} ${canonicalJson(call.input)}`.slice(0, MAX_SHOWN) };
}

function mustApprove(tool: Tool, input: unknown, effects: Approvals['effects']): boolean {
  switch (tool.approval) {
    case 'always':
      return true;
    case 'never':
      return false;
    case undefined:
      return effects.includes(tool.effect);
    default:
      try {
        return tool.approval(input);
      } catch {
        return true;
      }
  }
}

/** A schema that can only be parsed asynchronously says nothing here: the call itself will find out. */
function parse(tool: Tool, sent: unknown): { kind: 'fine'; value: unknown } | { kind: 'wrong' } {
  try {
    const parsed = tool.input.safeParse(sent);
    return parsed.success ? { kind: 'fine', value: parsed.data } : { kind: 'wrong' };
  } catch {
    return { kind: 'fine', value: sent };
  }
}

const questionIn = (input: unknown, call: ToolCall): string =>
  typeof input === 'object' && input !== null && 'question' in input
    ? String(input.question)
    : canonicalJson(call.input).slice(0, MAX_SHOWN);
