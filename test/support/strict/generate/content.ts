/** Rules of the content and the order of a request of Gemini's API. */

import { type Fields, fieldsIn, firstOf, isFields, type Rule } from '../rule.ts';
import { contentsOf, DATA, membersOf, partsOf, placedIn } from './read.ts';

const MEDIA = new Set(
  `image/png image/jpeg image/webp image/heic image/heif application/pdf text/plain audio/wav audio/mp3 video/mp4`.split(
    ' ',
  ),
);

/** The parts with data of a file, in contents and in responses. */
const filesIn = (body: Fields): readonly Fields[] =>
  placedIn(body)
    .flatMap(({ part }) => [
      part,
      ...(isFields(part.functionResponse) ? fieldsIn(part.functionResponse.parts) : []),
    ])
    .flatMap(({ inlineData }) => (isFields(inlineData) ? [inlineData] : []));

/** Whether a text is empty, and carries nothing else. */
const isEmpty = ({ text, thoughtSignature }: Fields): boolean => text === '' && !thoughtSignature;

export const contentRules: readonly Rule<unknown>[] = [
  {
    name: 'there are contents',
    source: 'https://ai.google.dev/api/generate-content',
    check: ({ body }) =>
      contentsOf(body).length > 0
        ? undefined
        : '* GenerateContentRequest.contents: contents is not specified',
  },
  {
    name: 'a content is of the user or of the model',
    source: 'https://ai.google.dev/api/caching#Content',
    check: ({ body }) =>
      firstOf(contentsOf(body), ({ role }) =>
        role === 'user' || role === 'model' ? undefined : 'Please use a valid role: user, model.',
      ),
  },
  {
    name: 'a content has parts',
    source: 'https://github.com/vercel/ai/issues/3775',
    check: ({ body }) =>
      firstOf(contentsOf(body), (content, at) =>
        partsOf(content).length > 0
          ? undefined
          : `* GenerateContentRequest.contents[${at}].parts: contents.parts must not be empty.`,
      ),
  },
  {
    name: 'a part has data, also of the system instruction',
    source: 'https://github.com/router-for-me/CLIProxyAPI/issues/1293',
    check({ body }) {
      const { systemInstruction: system } = body;
      const ofSystem = isFields(system)
        ? partsOf(system).map((part, p) => ({ part, at: `system_instruction.parts[${p}]` }))
        : [];
      return firstOf([...ofSystem, ...placedIn(body)], ({ part, at }) =>
        DATA.some((key) => key in part) && !isEmpty(part)
          ? undefined
          : `* GenerateContentRequest.${at}.data: required oneof field 'data' must have one initialized field`,
      );
    },
  },
  {
    name: 'a part has data of one kind',
    source: 'https://ai.google.dev/api/caching#Part',
    check: ({ body }) =>
      firstOf(placedIn(body), ({ part, at }) => {
        const [, second] = DATA.filter((key) => key in part);
        return second === undefined
          ? undefined
          : `Invalid value at '${at}' (oneof), oneof field 'data' is already set. Cannot set '${second}'`;
      }),
  },
  {
    name: 'the conversation ends with the user',
    source: 'https://github.com/crewAIInc/crewAI/pull/6973',
    check: ({ body }) =>
      contentsOf(body).at(-1)?.role === 'user'
        ? undefined
        : 'Please ensure that single turn requests end with a user role or the role field is empty.',
  },
  {
    name: 'a call comes right after a content of the user',
    source: 'https://github.com/google-gemini/gemini-cli/issues/11814',
    check({ body }) {
      const contents = contentsOf(body);
      return firstOf(contents, (content, at) =>
        membersOf(content, 'functionCall').length > 0 && contents[at - 1]?.role !== 'user'
          ? 'Please ensure that function call turn comes immediately after a user turn or after a function response turn.'
          : undefined,
      );
    },
  },
  {
    name: 'a response comes right after its call',
    source: 'https://github.com/langchain-ai/langchain/issues/27799',
    check({ body }) {
      const contents = contentsOf(body);
      return firstOf(contents, (content, at) =>
        membersOf(content, 'functionResponse').length > 0 &&
        membersOf(contents[at - 1], 'functionCall').length === 0
          ? 'Please ensure that function response turn comes immediately after a function call turn.'
          : undefined,
      );
    },
  },
  {
    name: 'calls have as many responses, and no other parts beside them',
    source: 'https://github.com/google-gemini/gemini-cli/pull/16137',
    check({ body }) {
      const contents = contentsOf(body);
      return firstOf(contents, (content, at) => {
        const calls = membersOf(content, 'functionCall').length;
        const next = contents[at + 1];
        if (calls === 0) return undefined;
        return membersOf(next, 'functionResponse').length === calls && partsOf(next ?? {}).length === calls
          ? undefined
          : 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.';
      });
    },
  },
  {
    name: 'a response has the name and the id of its call, in the order of the calls',
    source: 'https://github.com/router-for-me/CLIProxyAPI/issues/5199',
    check({ body }) {
      const contents = contentsOf(body);
      return firstOf(contents, (content, at) => {
        const calls = membersOf(contents[at - 1], 'functionCall');
        return firstOf(membersOf(content, 'functionResponse'), ({ id, name }, n) => {
          if (calls[n]?.id !== id) return 'functionResponse.id does not match functionCall.id';
          return calls[n]?.name === name
            ? undefined
            : `functionResponse.name ${name} does not match functionCall.name ${calls[n]?.name}`;
        });
      });
    },
  },
  {
    name: 'arguments and responses are objects',
    source: 'https://github.com/scriptit-fr/GenAIApp/pull/73',
    check: ({ body }) =>
      firstOf(placedIn(body), ({ part: { functionCall: call, functionResponse: response }, at }) => {
        if (isFields(call) && call.args !== undefined && !isFields(call.args))
          return `Invalid value at '${at}.function_call.args' (type.googleapis.com/google.protobuf.Struct), "${call.args}"`;
        return isFields(response) && !isFields(response.response)
          ? `Invalid value at '${at}.function_response.response' (type.googleapis.com/google.protobuf.Struct), "${response.response}"`
          : undefined;
      }),
  },
  {
    name: 'a response refers to no files that it has not',
    source: 'https://github.com/vercel/ai/issues/14369',
    check: ({ body }) =>
      firstOf(placedIn(body), ({ part: { functionResponse: response } }) => {
        const ref = isFields(response) ? refIn(response.response) : undefined;
        return ref === undefined
          ? undefined
          : `The referenced name \`${ref}\` in function_response.response does not match to a display_name in the function_response.parts.`;
      }),
  },
  {
    name: 'files are of a type that the model reads',
    source: 'https://github.com/microsoft/vscode/issues/286628',
    check: ({ body }) =>
      firstOf(filesIn(body), ({ mimeType }) =>
        MEDIA.has(String(mimeType)) ? undefined : `Unsupported MIME type: ${mimeType}`,
      ),
  },
];

/** A value of `$ref` in an object; undefined if it has none. */
function refIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(refIn).find((ref) => ref !== undefined);
  if (!isFields(value)) return undefined;
  return value.$ref ?? refIn(Object.values(value));
}
