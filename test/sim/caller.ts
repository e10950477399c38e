/** The setting through which a tool finds its caller. */
export const CALLER = 'SIM_CALLER';
