/** A handwritten cloud assembly for local-stack.test.ts: what CDK would write, reduced to what each test needs. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const HELPERS = `
import { createRequire } from 'node:module';
export const signed = async (service, address, { method, body, headers = {} }) => {
  const { SignatureV4 } = sdk('@smithy/signature-v4');
  const { Sha256 } = sdk('@smithy/core/checksum');
  const url = new URL(address);
  const credentials = { accessKeyId: process.env.AWS_ACCESS_KEY_ID, secretAccessKey: process.env.AWS_SECRET_ACCESS_KEY };
  const signer = new SignatureV4({ credentials, region: 'us-east-1', service, sha256: Sha256, uriEscapePath: service !== 's3' });
  const request = { method, protocol: url.protocol, hostname: url.hostname, path: url.pathname, query: {}, headers: { ...headers, host: url.host }, body };
  return fetch(url, { method, body, headers: (await signer.sign(request)).headers });
};
export const aws = async (endpoint, target, body) => {
  const service = target.startsWith('AmazonSQS.') ? 'sqs' : 'dynamodb';
  const response = await signed(service, endpoint, { method: 'POST', body: JSON.stringify(body), headers: {
    'content-type': 'application/x-amz-json-1.0', 'x-amz-target': target,
  } });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return JSON.parse(text || '{}');
};
export const say = (fact) => console.log(JSON.stringify(fact));
export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
export const sdk = (name) => createRequire(process.env.PROJECT)(name);
`;

/** Writes an assembly with one stack `Fixture` into `directory`. `code` is the source of every function's index.mjs. */
export function writeAssembly(directory: string, resources: object, code: string, more: object = {}): string {
  mkdirSync(join(directory, 'asset.code'), { recursive: true });
  writeFileSync(join(directory, 'asset.code', 'helpers.mjs'), HELPERS);
  writeFileSync(
    join(directory, 'asset.code', 'index.mjs'),
    `import { aws, say, signed, sleep, sdk } from './helpers.mjs';\n${code}`,
  );
  // A CommonJS function below a package.json with "module", like cdk.out in a project.
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
  writeFileSync(
    join(directory, 'asset.code', 'common.js'),
    "exports.handler = async () => require('node:path').posix.sep;",
  );
  write(directory, 'manifest.json', {
    artifacts: {
      'Fixture.assets': { type: 'cdk:asset-manifest', properties: { file: 'Fixture.assets.json' } },
      Fixture: {
        type: 'aws:cloudformation:stack',
        properties: { templateFile: 'Fixture.template.json' },
        dependencies: ['Fixture.assets'],
      },
    },
  });
  write(directory, 'Fixture.assets.json', {
    files: {
      code: {
        source: { path: 'asset.code', packaging: 'zip' },
        destinations: { here: { objectKey: 'code.zip' } },
      },
    },
  });
  write(directory, 'Fixture.template.json', { Resources: resources, ...more });
  return directory;
}

/** A function that runs the fixture's index.mjs. */
export function lambda(name: string, properties: object = {}, variables: object = {}): object {
  return {
    Type: 'AWS::Lambda::Function',
    Properties: {
      Runtime: 'nodejs24.x',
      Handler: `index.${name}`,
      Code: { S3Bucket: { 'Fn::Join': ['-', ['assets', { Ref: 'AWS::AccountId' }]] }, S3Key: 'code.zip' },
      Timeout: 20,
      Environment: { Variables: { PROJECT: import.meta.filename, ...variables } },
      ...properties,
    },
  };
}

/** A queue, with a redrive policy if `deadLetters` names another one. */
export function queue(visibilitySeconds: number, deadLetters?: { queue: string; after: number }): object {
  const redrive = deadLetters && {
    deadLetterTargetArn: arn(deadLetters.queue),
    maxReceiveCount: deadLetters.after,
  };
  return {
    Type: 'AWS::SQS::Queue',
    Properties: { VisibilityTimeout: visibilitySeconds, ...(redrive ? { RedrivePolicy: redrive } : {}) },
  };
}

/** An event source mapping that reports partial failures. */
export function mapping(from: string, to: string, batchSize: number, concurrency: number): object {
  return {
    Type: 'AWS::Lambda::EventSourceMapping',
    Properties: {
      EventSourceArn: arn(from),
      FunctionName: { Ref: to },
      BatchSize: batchSize,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: concurrency },
    },
  };
}

/** A table with a text key `pk`. */
export function table(): object {
  return {
    Type: 'AWS::DynamoDB::Table',
    Properties: {
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      BillingMode: 'PAY_PER_REQUEST',
    },
  };
}

/** An HTTP or WebSocket API whose routes all lead to functions: route key -> logical id. */
export function api(
  id: string,
  protocol: 'HTTP' | 'WEBSOCKET',
  routes: Record<string, string>,
  properties: object = {},
): object {
  const parts = Object.entries(routes).map(([key, target], index): [string, object][] => [
    [
      `${id}Integration${index}`,
      {
        Type: 'AWS::ApiGatewayV2::Integration',
        Properties: {
          ApiId: { Ref: id },
          IntegrationType: 'AWS_PROXY',
          IntegrationUri:
            protocol === 'HTTP'
              ? arn(target)
              : {
                  'Fn::Sub': [
                    `arn:aws:apigateway:\${AWS::Region}:lambda:path/2015-03-31/functions/\${F}/invocations`,
                    { F: arn(target) },
                  ],
                },
          ...(protocol === 'HTTP' ? { PayloadFormatVersion: '2.0' } : {}),
        },
      },
    ],
    [
      `${id}Route${index}`,
      {
        Type: 'AWS::ApiGatewayV2::Route',
        Properties: {
          ApiId: { Ref: id },
          RouteKey: key,
          Target: { 'Fn::Join': ['/', ['integrations', { Ref: `${id}Integration${index}` }]] },
        },
      },
    ],
  ]);
  return {
    [id]: {
      Type: 'AWS::ApiGatewayV2::Api',
      Properties: {
        ProtocolType: protocol,
        ...(protocol === 'WEBSOCKET' ? { RouteSelectionExpression: '$request.body.action' } : {}),
        ...properties,
      },
    },
    [`${id}Stage`]: {
      Type: 'AWS::ApiGatewayV2::Stage',
      Properties: { ApiId: { Ref: id }, StageName: protocol === 'HTTP' ? '$default' : 'live' },
    },
    ...Object.fromEntries(parts.flat()),
  };
}

/** Fn::GetAtt of an ARN. */
export function arn(id: string): object {
  return { 'Fn::GetAtt': [id, 'Arn'] };
}

/** Waits until `look` finds something. Throws after 10 s, far more than any of these tests should need. */
export async function eventually<T>(
  look: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
  const deadline = Date.now() + 10_000;
  while (Date.now() < deadline) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`waited 10 s in vain for: ${look}`);
}

function write(directory: string, name: string, content: object): void {
  writeFileSync(join(directory, name), JSON.stringify(content));
}
