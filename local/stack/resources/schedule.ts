import { startSchedule } from '../events/schedule.ts';
import { arnOf, physicalName } from '../identity.ts';
import { type Created, functionAt, type Site } from '../site.ts';
import { type Declared, nested, nestedList, optionalText, requiredText } from '../template/properties.ts';
import type { Json } from '../template/types.ts';

/** AWS::Events::Rule with a rate(...) and functions as targets. Throws for event patterns and input transformers. */
export function createRule(item: Declared, site: Site): Created {
  const name = optionalText(item, 'Name') ?? physicalName(site.stackName, item.id, 64);
  const arn = arnOf('events', `rule/${name}`);
  const expression = requiredText(item, 'ScheduleExpression');
  for (const target of nestedList(item, 'Targets'))
    add(item, target, { arn, expression, source: 'aws.events' }, site);
  return { ref: name, attributes: { Arn: arn } };
}

/** AWS::Scheduler::Schedule with a rate(...) and a function as target. Its window and retry policy are ignored. */
export function createSchedule(item: Declared, site: Site): Created {
  const name = optionalText(item, 'Name') ?? physicalName(site.stackName, item.id, 64);
  const arn = arnOf('scheduler', `schedule/default/${name}`);
  const expression = requiredText(item, 'ScheduleExpression');
  add(item, nested(item, 'Target'), { arn, expression, source: 'aws.scheduler' }, site);
  return { ref: name, attributes: { Arn: arn } };
}

function add(
  item: Declared,
  target: Declared,
  about: { arn: string; expression: string; source: 'aws.events' | 'aws.scheduler' },
  site: Site,
): void {
  if (target.properties.InputTransformer !== undefined || target.properties.InputPath !== undefined) {
    throw new Error(`${item.id}: only a fixed Input is supported for a schedule's target`);
  }
  const input = optionalText(target, 'Input');
  const settings = { ...about, input: input === undefined ? undefined : (JSON.parse(input) as Json) };
  const invoked = functionAt(site, requiredText(target, 'Arn'));
  if (optionalText(item, 'State') !== 'DISABLED') site.schedules.push(() => startSchedule(settings, invoked));
}
