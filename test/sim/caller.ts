/** The setting under which a tool finds out who runs it. */
export const CALLER = 'SIM_CALLER';
