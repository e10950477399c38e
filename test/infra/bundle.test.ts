import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Metafile } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reachable, sizesOf } from '../../infra/bundle/size.ts';
import { bundleFunction, type FunctionName, functionNames } from '../../infra/bundle.ts';

/** This project's own definition. */
const own = { definition: resolve('steploop.config.ts') };

let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'steploop-bundle-'));
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

describe('the step function’s bundle', () => {
  let directory: string;
  let metafile: Metafile;
  beforeAll(async () => {
    ({ directory, metafile } = await bundleFunction('step', { ...own, outdir: join(scratch, 'step') }));
  });

  it.each(['openai', '@anthropic-ai/sdk'])('reads %s only when a model of that provider is called', (sdk) => {
    const { inputs } = sizesOf(metafile);
    expect(inputs.filter(({ name }) => name === sdk).map(({ lazy }) => lazy)).toEqual([true]);
  });

  it('reads the guards of every session while one is claimed, not before', () => {
    const eager = reachable(metafile, ['import-statement', 'require-call']).flatMap((path) =>
      Object.keys(metafile.outputs[path]?.inputs ?? {}),
    );
    const guards =
      /guardrails\/(built-in|loops\/cycles|proof\/verification|budgets\/budget|loops\/window)\.ts$/;
    expect(eager.filter((path) => guards.test(path))).toEqual([]);
    const all = reachable(metafile).flatMap((path) => Object.keys(metafile.outputs[path]?.inputs ?? {}));
    expect(all.filter((path) => guards.test(path))).toHaveLength(5);
  });

  it('contains nothing that serves webhooks, Slack or outside listeners, except for their declarations', () => {
    const inputs = Object.values(metafile.outputs).flatMap((output) => Object.keys(output.inputs));
    expect(inputs.filter((path) => /functions\/(webhooks|slack)\/|(?<!define)\/slack/.test(path))).toEqual(
      [],
    );
  });

  it('reads the JSON Schema validator when a session has a source’s tool, and the fetcher when a tool fetches, not before', () => {
    const { inputs } = sizesOf(metafile);
    expect(inputs.filter(({ name }) => name === 're2js').map(({ lazy }) => lazy)).toEqual([true]);
    const eager = reachable(metafile, ['import-statement', 'require-call']);
    const holders = reachable(metafile).filter((path) =>
      Object.keys(metafile.outputs[path]?.inputs ?? {}).some((input) => input.includes('shared/egress/')),
    );
    expect(holders.length).toBeGreaterThan(0);
    expect(holders.filter((path) => eager.includes(path))).toEqual([]);
  });

  it('reads memory search and storage when a tool remembers, not before', () => {
    const { inputs } = sizesOf(metafile);
    const libraries = inputs.filter(({ name }) => /^(minisearch|@orama\/.*)$/.test(name));
    expect(libraries.map(({ lazy }) => lazy)).toEqual([true, true, true]);
    const eager = reachable(metafile, ['import-statement', 'require-call']).flatMap((path) =>
      Object.keys(metafile.outputs[path]?.inputs ?? {}),
    );
    expect(eager.filter((path) => /aws\/memories|memories\/(remember|search)/.test(path))).toEqual([]);
  });

  it('reads the rate limit code when a model’s server has refused, not before', () => {
    const eager = reachable(metafile, ['import-statement', 'require-call']).flatMap((path) =>
      Object.keys(metafile.outputs[path]?.inputs ?? {}),
    );
    const all = reachable(metafile).flatMap((path) => Object.keys(metafile.outputs[path]?.inputs ?? {}));
    const signs = /shared\/(models|aws)\/signs\.ts$/;
    expect(all.filter((path) => signs.test(path))).toHaveLength(2);
    expect(eager.filter((path) => signs.test(path))).toEqual([]);
  });

  it('reads the trace exporter at a commit if a collector is configured, not before', () => {
    const eager = reachable(metafile, ['import-statement', 'require-call']).flatMap((path) =>
      Object.keys(metafile.outputs[path]?.inputs ?? {}),
    );
    const all = reachable(metafile).flatMap((path) => Object.keys(metafile.outputs[path]?.inputs ?? {}));
    const exports = /shared\/telemetry\//;
    expect(all.filter((path) => exports.test(path)).length).toBeGreaterThan(4);
    expect(eager.filter((path) => exports.test(path))).toEqual([]);
    // Nothing of OpenTelemetry's own packages (docs/adr/0028-telemetry.md).
    expect(all.filter((path) => /node_modules\/@opentelemetry\//.test(path))).toEqual([]);
  });

  it('reads the file code when a call asks for its workspace, not before', () => {
    const eager = reachable(metafile, ['import-statement', 'require-call']).flatMap((path) =>
      Object.keys(metafile.outputs[path]?.inputs ?? {}),
    );
    const all = reachable(metafile).flatMap((path) => Object.keys(metafile.outputs[path]?.inputs ?? {}));
    const isOfFiles = (path: string) =>
      /agent\/workspace\/(?!open\.ts)/.test(path) || /^tools\/(?!memory)/.test(path);
    expect(all.filter(isOfFiles).length).toBeGreaterThan(5);
    expect(eager.filter(isOfFiles)).toEqual([]);
  });

  it('reads the code that begins, stops and answers for other agents with the first such call, not before', () => {
    const eager = reachable(metafile, ['import-statement', 'require-call']).flatMap((path) =>
      Object.keys(metafile.outputs[path]?.inputs ?? {}),
    );
    const all = reachable(metafile).flatMap((path) => Object.keys(metafile.outputs[path]?.inputs ?? {}));
    const family =
      /(batch\/(delegate|stop-children)|end\/answer-parent|entrypoints\/children|models\/prices)\.ts$/;
    expect(all.filter((path) => family.test(path))).toHaveLength(5);
    expect(eager.filter((path) => family.test(path))).toEqual([]);
  });

  it('reads the credential lookup of Anthropic’s SDK if no credentials are configured, not before', () => {
    const eager = reachable(metafile, ['import-statement', 'require-call']);
    const holders = reachable(metafile).filter((path) =>
      Object.keys(metafile.outputs[path]?.inputs ?? {}).some((input) =>
        /sdk\/lib\/credentials\/user-oauth/.test(input),
      ),
    );
    expect(holders).toHaveLength(1);
    expect(holders.filter((path) => eager.includes(path))).toEqual([]);
  });

  it('reads the word lists of guards while a session is claimed, not before', () => {
    const eager = reachable(metafile, ['import-statement', 'require-call']);
    const holders = reachable(metafile).filter((path) =>
      Object.keys(metafile.outputs[path]?.inputs ?? {}).some((input) =>
        /agent\/words\/(announce|asked|shell)\//.test(input),
      ),
    );
    expect(holders).toHaveLength(1);
    expect(holders.filter((path) => eager.includes(path))).toEqual([]);
  });

  it('reads the WebSocket push code when a client is subscribed, not before', () => {
    const { inputs } = sizesOf(metafile);
    const pushes = inputs.filter(({ name }) => name === '@aws-sdk/client-apigatewaymanagementapi');
    expect(pushes.map(({ lazy }) => lazy)).toEqual([true]);
    const eager = reachable(metafile, ['import-statement', 'require-call']);
    const ofRest = (path: string) =>
      Object.keys(metafile.outputs[path]?.inputs ?? {}).some((input) =>
        /AwsRestJsonProtocol|HttpBindingProtocol/.test(input),
      );
    expect(reachable(metafile).filter(ofRest)).toHaveLength(1);
    expect(eager.filter(ofRest)).toEqual([]);
  });

  it('contains nothing that a Lambda function never uses', () => {
    const inputs = reachable(metafile).flatMap((path) => Object.keys(metafile.outputs[path]?.inputs ?? {}));
    expect(inputs.filter((path) => neverUsed.test(path))).toEqual([]);
  });

  it('is a folder of loadable code with source maps, and nothing else', async () => {
    const files = await readdir(directory);
    const code = files.filter((file) => !file.endsWith('.map'));
    expect(code).toContain('index.mjs');
    expect(code).toHaveLength(reachable(metafile).length);
    // Files that are read later but whole contain only an installed library, whose stack traces need no source map.
    const ours = code.filter((file) => !file.endsWith('.cjs'));
    expect(files.filter((file) => file.endsWith('.map')).sort()).toEqual(
      ours.map((file) => `${file}.map`).sort(),
    );
  });
});

describe('a cold start', () => {
  /**
   * Kilobytes (minified, not compressed) of this project's own definition: what was measured, and up to 1.2 more. 1 KB of each
   * is the redaction of its log, 0.5 KB the patience with S3. The declaration of webhooks, which every definition brings, has
   * 0.6 KB for functions that verify. 1.6 KB are the signature of requests to AWS, up to 1 KB the keys and the tool of skills. 2.5 KB of
   * some are the messages, routes and sweep of schedules. Ratings in Slack take 1.6 KB of deliveries, and 0.5 KB where they
   * are stored and read. The declaration of reactions and shortcuts has 0.4 KB, and their payloads 1.5 KB in the functions of Slack.
   * The replay of guards is loaded when it is asked for; the modules that it shares with other routes take 3 KB of `http`.
   * The table of prices of a deployment has 0.4 KB. Agents in the background take 1.3 KB of the step, tools of pages and timers
   * another 1 KB, and 6 KB of AG-UI's and chat's function, which takes the tools and answers of pages. The way to keys of tenants, whose code is loaded with the first use, takes 1.8 KB, and up to 1.4 more in the
   * sweep, routes, links and Slack's jobs. The checks of models on the Responses API have 0.5 KB, and its way to the step 0.3 KB more. The way to
   * Bedrock's Converse API took four functions at most 0.4 KB over the limits of before; the checks of settings that Bedrock
   * and Gemini would ignore have 1 KB, and the way to Gemini 0.2 KB more. The routes of
   * MCP and A2A take 3.9 KB of `http`; their SDKs are loaded with the first request. The
   * wait for all work of a step takes 0.1 KB of each. The declarations of channels and e-mail have 0.9 KB, and telling them 7 KB of deliveries, which load their code with the first use.
   * The HTML of mails takes 9.5 KB of deliveries: its renderer is in one module with the parser that texts for Slack load.
   * Forms, files and task cards of Slack take 10.4 KB of deliveries; state, tools and answers of pages take 1 KB of `http` and 3 KB of `agui`.
   * The way to counted days, whose code is loaded when one is due, takes 0.7 KB of the sweep and 4 KB for the files into which it splits
   * what both use, and 0.6 KB of `http`. The way of a wrap-up to those that a run waits for has 0.4 KB of the step.
   * Shapes, handoffs, goals and outside work take 1 to 2 KB of each function that reads agents: their schemas, and the way to their code.
   */
  const most: Readonly<Record<FunctionName, number>> = {
    step: 423,
    tool: 432,
    'dead-letter': 471,
    sweep: 356,
    deliver: 524,
    http: 520,
    hooks: 441,
    slack: 454,
    channels: 402,
    mail: 710,
    'slack-jobs': 527,
    socket: 415,
    agui: 472,
    console: 90,
  };
  /** Few invocations need texts of guards, named characters of HTML, or the routes of Slack for clicks and installation. */
  const forLater =
    /texts\/guards\.ts$|character-entities\/|slack\/(?:interactions|commands|install)\.ts$|DefaultRateLimiter\.js$/;
  it.each(functionNames)(
    'of %s reads no more than its limit, and nothing that few invocations need',
    async (name) => {
      const { metafile } = await bundleFunction(name, { ...own, outdir: join(scratch, 'sizes') });
      expect(sizesOf(metafile).eager).toBeLessThan(most[name] * 1000);
      const eager = reachable(metafile, ['import-statement', 'require-call']).flatMap((path) =>
        Object.keys(metafile.outputs[path]?.inputs ?? {}),
      );
      expect(eager.filter((path) => forLater.test(path))).toEqual([]);
    },
  );
});

describe('the code that seals', () => {
  it.each(functionNames.filter((name) => name !== 'console'))(
    'is in the bundle of %s, and is read with the first use of a key, not before',
    async (name) => {
      const { metafile } = await bundleFunction(name, { ...own, outdir: join(scratch, 'sealing') });
      const holds = (paths: readonly string[]) =>
        paths
          .flatMap((path) => Object.keys(metafile.outputs[path]?.inputs ?? {}))
          .filter((path) => /shared\/aws\/(seal|sealed|sealed-\w+|kms|tenant-keys)\.ts$/.test(path));
      expect(holds(reachable(metafile)).length).toBeGreaterThan(5);
      expect(holds(reachable(metafile, ['import-statement', 'require-call']))).toEqual([]);
      expect(sizesOf(metafile).inputs.filter(({ name }) => name === '@aws-sdk/client-kms')).toEqual([]);
    },
  );
});

describe('the HTTP function’s bundle', () => {
  it('loads the JWT verifier only when a JWT is sent', async () => {
    const { metafile } = await bundleFunction('http', { ...own, outdir: join(scratch, 'http') });
    const jose = sizesOf(metafile).inputs.filter(({ name }) => name === 'jose');
    expect(jose.map(({ lazy }) => lazy)).toEqual([true]);
  });
});

describe('AWS clients in a bundle', () => {
  const source = `
    import * as dynamodb from '@aws-sdk/client-dynamodb';
    import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
    const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
    export async function handler({ endpoint, service }) {
      const options = { endpoint, region: 'eu-central-1', credentials, maxAttempts: 2 };
      const asked =
        service === 'sqs'
          ? new SQSClient(options).send(new SendMessageCommand({ QueueUrl: endpoint + '/1/q', MessageBody: 'm' }))
          : new dynamodb.DynamoDBClient(options).send(new dynamodb.DeleteItemCommand({ TableName: 't', Key: { pk: { S: 'a' } } }));
      const error = await asked.then(() => undefined, (thrown) => thrown);
      return {
        name: error.name,
        message: error.message,
        status: error.$metadata.httpStatusCode,
        attempts: error.$metadata.attempts,
        is: [
          error instanceof dynamodb.ConditionalCheckFailedException && 'conditional',
          error instanceof dynamodb.ResourceNotFoundException && 'missing',
          error instanceof Error && 'error',
        ].filter(Boolean),
      };
    }`;

  it('throw errors by name and class and retry as usual, without registering classes that nothing needs', async () => {
    let next = '';
    await using server = await errorServer(() => next);
    const folder = join(scratch, 'clients');
    await mkdir(folder);
    await writeFile(join(folder, 'step.ts'), source);
    const { directory } = await bundleFunction('step', {
      ...own,
      outdir: join(folder, 'out'),
      entryOf: (name) => join(folder, `${name}.ts`),
    });
    const { handler } = await import(/* @vite-ignore */ entryOf(directory));
    const thrown = (service: string, type: string) => {
      next = type;
      return handler({ endpoint: server.url, service });
    };
    const error = { message: 'because', status: 400, attempts: 1, is: ['error'] };
    const dynamo = 'com.amazonaws.dynamodb.v20120810#';
    expect(await thrown('dynamodb', `${dynamo}ConditionalCheckFailedException`)).toEqual({
      ...error,
      name: 'ConditionalCheckFailedException',
      is: ['conditional', 'error'],
    });
    const missing = 'ResourceNotFoundException';
    expect(await thrown('dynamodb', dynamo + missing)).toEqual({
      ...error,
      name: missing,
      is: ['missing', 'error'],
    });
    const throttled = 'ProvisionedThroughputExceededException';
    expect(await thrown('dynamodb', dynamo + throttled)).toEqual({ ...error, name: throttled, attempts: 2 });
    const gone = 'QueueDoesNotExist';
    expect(await thrown('sqs', `com.amazonaws.sqs#${gone}`)).toEqual({ ...error, name: gone });
  });
});

/** A server that answers every request with an error of this type. */
async function errorServer(type: () => string) {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
      response.end(JSON.stringify({ __type: type(), message: 'because' }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Credentials other than the environment's, a browser's user agent, locales, the CommonJS twin of a package. */
const neverUsed =
  /credential-provider-(ini|sso|process|http|web-identity|imds|login)|nested-clients|bowser|zod\/v4\/locales\/(?!en\.)|@(aws-sdk|smithy)\/.*\/dist-cjs\//;

const entryOf = (bundle: string) => pathToFileURL(join(bundle, 'index.mjs')).href;
