/** Slack's jobs carry what people say, so they are sealed on their queue. Loaded where `tenantKeys` is on. */

import type { SlackJob } from '../slack/jobs.ts';
import { inXml } from './in-xml.ts';
import type { JobSeal } from './slack-jobs.ts';
import type { Sealers } from './tenant-keys.ts';

const NAME = 'slack job';

/** @param tenantOf the tenant of a workspace, if it has installed the app */
export function jobSeal(sealers: Sealers, tenantOf: (team: string) => Promise<string | undefined>): JobSeal {
  return {
    async seal(job, team) {
      const tenant = hasWords(job) ? await tenantOf(team) : undefined;
      if (tenant === undefined) return inXml(job);
      const text = Buffer.from(JSON.stringify(job));
      const sealed = (await sealers.forWriting(tenant)).at(NAME).seal(NAME, text);
      return JSON.stringify({ tenant, sealed: Buffer.from(sealed).toString('base64') });
    },

    async open(body) {
      const { tenant, sealed }: { tenant?: unknown; sealed?: unknown } = JSON.parse(body) ?? {};
      if (typeof sealed !== 'string' || typeof tenant !== 'string') return body;
      const place = (await sealers.existing(tenant)).at(NAME);
      return Buffer.from(place.open(NAME, Buffer.from(sealed, 'base64'))).toString();
    },
  };
}

/** The others stop a workspace's runs, which must go on when the tenant's key was deleted. */
const hasWords = ({ kind }: SlackJob): boolean => kind !== 'uninstall' && kind !== 'stop';
