import { beforeAll, describe, expect, it } from 'vitest';
import { type Synthesized, synthesized } from './synthesized.fixture.ts';

/** The step queues of a stack, by logical id, with the step function's event source mappings for them. */
function lanesOf(stack: Synthesized) {
  const queues = stack.resources('AWS::SQS::Queue').filter(([id]) => /StepQueue(Wakes|Lane)/.test(id));
  const mappings = stack
    .resources('AWS::Lambda::EventSourceMapping')
    .map(([, { Properties }]) => Properties)
    .filter(({ EventSourceArn }) => queues.some(([id]) => EventSourceArn['Fn::GetAtt'][0] === id));
  return { queues, mappings };
}

describe('one lane', () => {
  it('is the queue from before lanes existed', () => {
    const stack = synthesized();
    const { queues, mappings } = lanesOf(stack);
    expect(queues).toHaveLength(1);
    expect(queues[0]?.[1].Properties.QueueName).toBeUndefined();
    expect(mappings).toHaveLength(1);
    expect(stack.fn('http').properties.Environment.Variables).not.toHaveProperty('STEP_LANES');
  });
});

describe('several lanes', () => {
  let stack: Synthesized;
  beforeAll(() => {
    stack = synthesized({ name: 'prod', lanes: { sends: 3, consumes: 4 }, concurrency: { steps: 2000 } });
  });

  it('have one queue each with shared dead letters, and one function consumes them all', () => {
    const { queues, mappings } = lanesOf(stack);
    const names = queues.map(([, { Properties }]) => Properties.QueueName);
    expect(names.sort()).toEqual(['prod-steps-1', 'prod-steps-2', 'prod-steps-3', undefined]);
    const redrives = queues.map(([, { Properties }]) => JSON.stringify(Properties.RedrivePolicy));
    expect(new Set(redrives).size).toBe(1);
    const times = queues.map(([, { Properties }]) => Properties.VisibilityTimeout);
    expect(new Set(times).size).toBe(1);
    expect(mappings).toHaveLength(4);
    for (const mapping of mappings) {
      expect(mapping).toMatchObject({
        FunctionName: { Ref: stack.fn('step').id },
        BatchSize: 1,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        // A third of 2,000, since three of them receive messages.
        ScalingConfig: { MaximumConcurrency: 666 },
      });
    }
  });

  it('are known to senders, which wait for their creation', () => {
    const { DependsOn } = stack.template.findResources('AWS::Lambda::Function')[stack.fn('http').id] ?? {};
    const { queues } = lanesOf(stack);
    expect(DependsOn).toEqual(expect.arrayContaining(queues.map(([id]) => id)));
    for (const name of ['http', 'hooks', 'step', 'tool', 'sweep', 'socket', 'dead-letter'] as const) {
      expect(stack.fn(name).properties.Environment.Variables).toMatchObject({
        STEP_LANES: '3',
        STEP_LANE_NAME: 'prod-steps-',
      });
    }
  });

  it('raise an alarm when messages wait in one of them', () => {
    const ages = stack
      .resources('AWS::CloudWatch::Alarm')
      .filter(([, { Properties }]) => Properties.MetricName === 'ApproximateAgeOfOldestMessage')
      .filter(([id]) => id.includes('StepsWait'));
    expect(ages).toHaveLength(4);
  });
});

describe('sixty-four lanes', () => {
  it('fit into a stack, a policy and the environment variables of a function', () => {
    const stack = synthesized({
      name: 'n'.repeat(64),
      lanes: 64,
      concurrency: { steps: 64_000 },
    });
    expect(Object.keys(stack.template.toJSON().Resources).length).toBeLessThan(500);
    const { queues } = lanesOf(stack);
    for (const [, { Properties }] of queues)
      expect((Properties.QueueName ?? '').length).toBeLessThanOrEqual(80);
    // All inline policies of a role may have 10,240 characters in total.
    expect(JSON.stringify(stack.statements('step')).length).toBeLessThan(8_000);
  });
});

it.each([
  [{ lanes: 65 }, 'lanes: must be a whole number from 1 to 64, or two of them: { sends, consumes }'],
  [
    { lanes: { sends: 4, consumes: 2 } },
    'lanes: every queue that is sent to must be consumed, so sends must not be greater than consumes',
  ],
  [{ concurrency: { steps: 1001 } }, 'concurrency.steps: must be from 2 to 1000 with 1 lane (lanes)'],
  [
    { lanes: 4, concurrency: { steps: 4001 } },
    'concurrency.steps: must be from 8 to 4000 with 4 lanes (lanes)',
  ],
  [{ lanes: 40 }, 'concurrency.steps: must be from 80 to 40000 with 40 lanes (lanes)'],
])('%j is refused', (props, sentence) => {
  expect(() => synthesized(props)).toThrow(sentence);
});
