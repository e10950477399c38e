import { verifyEvents } from '@ag-ui/client';
import type { BaseEvent } from '@ag-ui/core';
import { EventSchemas } from '@ag-ui/core/schemas';
import { from, lastValueFrom, toArray } from 'rxjs';
import type { AgUiEvent } from '../../shared/contract/events.ts';

/**
 * Why `@ag-ui/client` refuses these events, by its schemas or by its check of their order; undefined if it accepts
 * them.
 */
export async function refused(events: readonly AgUiEvent[]): Promise<string | undefined> {
  try {
    const parsed = events.map((event) => EventSchemas.parse(event) as BaseEvent);
    await lastValueFrom(from(parsed).pipe(verifyEvents(), toArray()));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
