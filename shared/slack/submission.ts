import * as z from 'zod';
import { id } from './payloads.ts';

/** An option that a person has chosen in a menu. */
const chosen = z.object({ value: z.string().max(150) });
/** The entry of a person in one element of a modal (docs.slack.dev, "view_submission", and the elements page by page). */
const entered = z.object({
  value: z.string().max(5_000).nullish(),
  selected_option: chosen.nullish(),
  selected_options: z.array(chosen).max(100).nullish(),
  selected_date: z.string().max(20).nullish(),
  /** Epoch seconds. */
  selected_date_time: z.number().nullish(),
});
export type Entered = z.output<typeof entered>;

/** The field `payload` of `POST /slack/interactions` when a person submits a modal. It names no channel. */
export const ViewSubmission = z.object({
  type: z.literal('view_submission'),
  team: z.object({ id, enterprise_id: id.nullish() }).nullish(),
  enterprise: z.object({ id }).nullish(),
  is_enterprise_install: z.boolean().nullish(),
  user: z.object({ id, team_id: id.nullish() }),
  view: z.object({
    callback_id: z.string().max(255),
    private_metadata: z.string().max(3_000).default(''),
    /** By block, and by action in it. */
    state: z.object({ values: z.record(z.string().max(255), z.record(z.string().max(255), entered)) }),
  }),
});
