import * as z from 'zod';
import { zoneNamed } from '../plain/zones.ts';

/** The line that a model reads before a message: its time and its sender (docs/context.md, "Speaker, date and time zone"). */
export const SaidContext = z.strictObject({
  /** `date`: the day and its weekday. `minute`: also the time of day. `off`: neither. */
  time: z.enum(['off', 'date', 'minute']).default('date'),
  /**
   * `auto`: the name from the verified identity, or the source of a webhook; for people without a name their subject, as soon as
   * a second person writes in the conversation. `true`: always name or subject. `false`: never.
   */
  caller: z.union([z.boolean(), z.literal('auto')]).default('auto'),
  /** Time zone of messages whose sender has none, by its IANA name. */
  zone: z
    .string()
    .refine((name) => zoneNamed(name) !== undefined, 'must be an IANA time zone, such as "Europe/Berlin"')
    .default('UTC'),
});
export type SaidContext = z.output<typeof SaidContext>;

/** Whether the line says anything at all. */
export const tellsAnything = ({ time, caller }: SaidContext): boolean => time !== 'off' || caller !== false;
