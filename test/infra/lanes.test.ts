import { Stack } from 'aws-cdk-lib';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Steploop } from '../../infra/steploop.ts';
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

describe('as many lanes as fit beside every capability', () => {
  it('fit into a stack, a policy and the environment variables of a function', () => {
    const stack = synthesized({
      name: 'n'.repeat(64),
      lanes: 58,
      concurrency: { steps: 58_000 },
    });
    expect(Object.keys(stack.template.toJSON().Resources).length).toBeLessThan(500);
    const { queues } = lanesOf(stack);
    for (const [, { Properties }] of queues)
      expect((Properties.QueueName ?? '').length).toBeLessThanOrEqual(80);
    // All inline policies of a role may have 10,240 characters in total.
    expect(JSON.stringify(stack.statements('step')).length).toBeLessThan(8_000);
  });
});

describe('a stack with more than 500 resources', () => {
  const topics = (count: number) => (agents: Steploop) => {
    for (let n = 0; n < count; n++) new Topic(Stack.of(agents), `Topic${n}`);
  };
  const alone = (props: object) => Object.keys(synthesized(props).template.toJSON().Resources).length;

  it.each([{}, { alarms: false as const }])('says how many lanes fit, with %j', (alarms) => {
    const props = { ...alarms, lanes: 58, concurrency: { steps: 1_000 } };
    const free = 500 - alone(props);
    expect(() => synthesized(props, topics(free))).not.toThrow();
    const { lanes } = /(?<lanes>\d+) lanes instead of 58 fit/.exec(refusalOf(props, free + 9))?.groups ?? {};
    expect(refusalOf(props, free + 9)).toMatch(
      /^lanes: the stack would have 509 resources, and CloudFormation takes 500; \d+ lanes instead of 58 fit, or move/,
    );
    const fewer = { ...props, lanes: Number(lanes) };
    expect(() => synthesized(fewer, topics(free + 9))).not.toThrow();
    expect(() => synthesized({ ...fewer, lanes: Number(lanes) + 1 }, topics(free + 9))).toThrow(
      /lanes fit|instead of/,
    );
  });

  it('with one lane says what else to do', () => {
    expect(refusalOf({}, 400)).toMatch(
      /^the stack would have \d+ resources, and CloudFormation takes 500: move/,
    );
  });

  it("follows CDK's own setting of another limit", () => {
    const limit = (most: number) => (agents: Steploop) => {
      topics(400)(agents);
      expect(agents.node.tryGetContext('@aws-cdk/core:stackResourceLimit')).toBe(most);
    };
    for (const most of [0, 1_000]) {
      vi.stubEnv('CDK_CONTEXT_JSON', JSON.stringify({ '@aws-cdk/core:stackResourceLimit': most }));
      expect(() => synthesized({}, limit(most))).not.toThrow();
    }
    vi.unstubAllEnvs();
  });

  /** The sentence of the refusal. */
  function refusalOf(props: object, more: number): string {
    try {
      synthesized(props, topics(more));
    } catch (error) {
      return /\[Test\/Agents\] (.*)/.exec(String(error))?.[1] ?? String(error);
    }
    return 'nothing was refused';
  }
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
