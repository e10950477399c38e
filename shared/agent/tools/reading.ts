import { hash } from '../plain/hash.ts';
import type { ToolCall } from '../session/slots.ts';
import { inputFor } from './exact-input.ts';
import { exactly } from './input-tree.ts';
import type { Tool } from './tool.ts';

/** What a tool will be run with, as far as that can be known before it runs. */
export type Reading =
  /** Its schema has read the arguments: defaults are filled in, what it does not know is gone. */
  | { readonly kind: 'read'; readonly value: unknown }
  /**
   * The arguments as the model sent them: the schema is asynchronous, or makes something else of them each time (a
   * clock, dice), so what it will make of them is not known. `once` is what it made of them this time, if anything.
   */
  | { readonly kind: 'sent'; readonly value: unknown; readonly once?: { readonly value: unknown } }
  /** The schema refuses them: the call fails by itself (A13). */
  | { readonly kind: 'wrong' };

/** Reads a call's arguments. Pure as far as the tool's schema is; never throws. */
export function readInput(call: ToolCall, tool: Tool): Reading {
  try {
    const { input, tooLarge } = inputFor(call, tool);
    if (tooLarge) return { kind: 'wrong' };
    const [first, second] = [tool.input.safeParse(input), tool.input.safeParse(input)];
    if (!first.success || !second.success) return { kind: 'wrong' };
    const same = exactly(first.data) === exactly(second.data);
    if (same) return { kind: 'read', value: first.data };
    return { kind: 'sent', value: call.input, once: { value: first.data } };
  } catch {
    // A schema that can only be read asynchronously, or a transform that throws: the call itself will find out.
    return { kind: 'sent', value: call.input };
  }
}

/** Equal for the same reading of the same arguments, and for nothing else: what a person's approval is bound to. */
export function readingDigest(call: ToolCall, tool: Tool | undefined): string {
  const reading: Reading = tool ? readInput(call, tool) : { kind: 'wrong' };
  return hash(reading.kind === 'wrong' ? 'wrong' : `${reading.kind}:${exactly(reading.value)}`);
}
