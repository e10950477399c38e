'use client';
/** `steploop/react`: hooks over the typed client. It needs React, and nothing else. */

export type { SessionActions } from './actions.ts';
export type { ClientSource } from './deployment.ts';
export { SteploopProvider, type SteploopProviderProps, useSteploop } from './provider.ts';
export { type ApprovalFilters, type OpenRequest, type UseApprovals, useApprovals } from './use-approvals.ts';
export { type UseSession, type UseSessionOptions, useSession } from './use-session.ts';
export { type SessionFilters, type UseSessions, useSessions } from './use-sessions.ts';
