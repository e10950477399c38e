/** Input fields that several tools of the triage agent share. */

import * as z from 'zod';

export const repo = z
  .string()
  .regex(/^[\w.-]+\/[\w.-]+$/, 'must be owner/name')
  .describe('The repository as owner/name.');

export const issueNumber = z.int().positive().describe("The issue's number in its repository.");
