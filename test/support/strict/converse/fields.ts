/** Rules of the fields, the tools and the cache points of a request of the Converse API. */

import { fieldsIn, firstOf, isFields, type Rule, unknownKey } from '../rule.ts';
import { membersOf, messagesOf, placedIn, specsOf } from './read.ts';

const API = 'https://docs.aws.amazon.com/bedrock/latest/APIReference/';

const BODY = new Set(
  `additionalModelRequestFields additionalModelResponseFieldPaths guardrailConfig inferenceConfig messages
  outputConfig performanceConfig promptVariables requestMetadata serviceTier system toolConfig`.split(/\s+/),
);

const MEMBERS = new Set(
  `audio cachePoint citationsContent document guardContent image reasoningContent searchResult text toolResult
  toolUse video`.split(/\s+/),
);

export const fieldRules: readonly Rule<unknown>[] = [
  {
    name: 'the body has the fields of the API',
    source: `${API}API_runtime_ConverseStream.html`,
    check({ body }) {
      const key = unknownKey(body, BODY);
      return key === undefined
        ? undefined
        : `Malformed input request: #: extraneous key [${key}] is not permitted`;
    },
  },
  {
    name: 'a block has exactly one member',
    source: `${API}API_runtime_ContentBlock.html`,
    check: ({ body }) =>
      firstOf(placedIn(body), ({ block, at }) =>
        Object.keys(block).length === 1 && unknownKey(block, MEMBERS) === undefined
          ? undefined
          : `The content block at ${at} must set exactly one known member.`,
      ),
  },
  {
    name: 'maxTokens is at least 1',
    source: `${API}API_runtime_InferenceConfiguration.html`,
    check: ({ body: { inferenceConfig: config } }) =>
      isFields(config) && config.maxTokens !== undefined && Number(config.maxTokens) < 1
        ? "Value at 'inferenceConfig.maxTokens' failed to satisfy constraint: Member must have value greater than or equal to 1"
        : undefined,
  },
  {
    name: 'there are tools if the history has calls or results',
    source: 'https://github.com/vxcontrol/pentagi/pull/196',
    check: ({ body }) =>
      specsOf(body).length === 0 &&
      messagesOf(body).some(
        (one) => [...membersOf(one, 'toolUse'), ...membersOf(one, 'toolResult')].length > 0,
      )
        ? 'The toolConfig field must be defined when using toolUse and toolResult content blocks.'
        : undefined,
  },
  {
    name: 'a list of tools is not empty',
    source: `${API}API_runtime_ToolConfiguration.html`,
    check: ({ body }) =>
      isFields(body.toolConfig) && fieldsIn(body.toolConfig.tools).length === 0
        ? "Value at 'toolConfig.tools' failed to satisfy constraint: Member must have length greater than or equal to 1"
        : undefined,
  },
  {
    name: 'a tool is named with 1 to 64 letters, digits, _ and -',
    source: `${API}API_runtime_ToolSpecification.html`,
    check: ({ body }) =>
      firstOf(specsOf(body), ({ name }, at) =>
        typeof name === 'string' && /^[a-zA-Z0-9_-]{1,64}$/.test(name)
          ? undefined
          : `Value '${name}' at 'toolConfig.tools.${at + 1}.member.toolSpec.name' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+`,
      ),
  },
  {
    name: 'a description of a tool is not empty',
    source: `${API}API_runtime_ToolSpecification.html`,
    check: ({ body }) =>
      firstOf(specsOf(body), ({ description }, at) =>
        description === ''
          ? `Value at 'toolConfig.tools.${at + 1}.member.toolSpec.description' failed to satisfy constraint: Member must have length greater than or equal to 1`
          : undefined,
      ),
  },
  {
    name: 'the schema of a tool is an object',
    source: `${API}API_runtime_ToolInputSchema.html`,
    check: ({ body }) =>
      firstOf(specsOf(body), ({ inputSchema }, at) => {
        const json = isFields(inputSchema) ? inputSchema.json : undefined;
        return isFields(json) && json.type === 'object'
          ? undefined
          : `The value at toolConfig.tools.${at}.toolSpec.inputSchema.json.type must be one of the following: object.`;
      }),
  },
  {
    name: 'there are at most four cache points',
    source: 'https://github.com/UKGovernmentBEIS/inspect_ai/pull/5131',
    check({ body }) {
      const { toolConfig, system } = body;
      const tools = isFields(toolConfig) ? fieldsIn(toolConfig.tools) : [];
      const blocks = [...tools, ...fieldsIn(system), ...placedIn(body).map(({ block }) => block)];
      const points = blocks.filter((block) => 'cachePoint' in block).length;
      return points > 4
        ? `A maximum of 4 blocks with cache_control may be provided. Found ${points}.`
        : undefined;
    },
  },
];
