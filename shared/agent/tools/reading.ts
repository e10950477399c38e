import { hash } from '../plain/hash.ts';
import type { ToolCall } from '../session/slots.ts';
import { inputFor } from './exact-input.ts';
import { exactly } from './input-tree.ts';
import type { Tool } from './tool.ts';

/** The arguments that a tool will be run with, as far as they are known before it runs. */
export type Reading =
  /** Parsed by its schema: defaults are filled in, unknown keys are removed. */
  | { readonly kind: 'read'; readonly value: unknown }
  /**
   * The arguments as the model sent them: the schema is asynchronous, or gives different results each time (a clock, random
   * numbers), so its result is not known. `once` is its result this time, if any.
   */
  | { readonly kind: 'sent'; readonly value: unknown; readonly once?: { readonly value: unknown } }
  /** The schema refuses them: the call fails by itself. */
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
    // The schema can only be read asynchronously, or a transform throws: the call itself will find out.
    return { kind: 'sent', value: call.input };
  }
}

/** Equal for the same reading of the same arguments, and for nothing else: a person's approval is bound to it. */
export function readingDigest(call: ToolCall, tool: Tool | undefined): string {
  const reading: Reading = tool ? readInput(call, tool) : { kind: 'wrong' };
  return hash(reading.kind === 'wrong' ? 'wrong' : `${reading.kind}:${exactly(reading.value)}`);
}
