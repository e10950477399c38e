import { defineDeployment, defineSchedule } from 'steploop';
import { analyst } from './agents/analyst.ts';
import { writer } from './agents/writer.ts';

/** The unit of deployment: the agents, and their shared configuration. */
export default defineDeployment({
  agents: [writer, analyst],
  schedules: [
    defineSchedule({
      name: 'daily-report',
      agent: 'writer',
      when: { cron: '30 8 * * MON-FRI' },
      zone: 'Europe/Berlin',
      message: 'Write the report of yesterday.',
      budget: { usd: 10, per: 'month' },
    }),
  ],
});
