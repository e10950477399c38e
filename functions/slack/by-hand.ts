/** The routes of what people do by hand: they are rare beside events, so one late chunk holds them all. */

export { onCommands } from './commands.ts';
export { onCallback, onInstall } from './install.ts';
export { onInteractions } from './interactions.ts';
