/** Colours, only where they are visible: not in a pipe, and not with NO_COLOR. */

import { styleText } from 'node:util';

export type Paint = (style: 'bold' | 'dim' | 'cyan' | 'green' | 'yellow' | 'red', text: string) => string;

export const paint: Paint = (style, text) => styleText(style, text, { stream: process.stdout });

export const plain: Paint = (_style, text) => text;
