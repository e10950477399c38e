import type { Api } from '../../shared/doors/api.ts';
import { httpClient, ProblemError, type Token } from '../../web/client/index.ts';

/** The HTTP API of a deployment, for its doors. */
export const apiAt = (place: { httpUrl: string; token: Token }): Api => ({ ...httpClient(place), refusalOf });

/** The reason of a refusal; undefined for other errors. */
export const refusalOf = (error: unknown): string | undefined =>
  error instanceof ProblemError ? error.message : undefined;
