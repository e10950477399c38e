import * as z from 'zod';
import { ProblemBody } from '../../../shared/contract/answers.ts';
import {
  adminProblems,
  anyProblems,
  bodyProblems,
  callerProblems,
  type Operation,
  operations,
  type Problems,
  queryProblems,
} from '../../../shared/contract/api.ts';

type Json = Readonly<Record<string, unknown>>;

const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): Json => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    target: 'draft-2020-12',
  });
  return rest;
};

/** Problems of a route by status, with their possible titles. */
export function problemsOf({ access, body, query, problems = {} }: Operation): Problems {
  const isCaller = access === 'caller' || access === 'admin';
  const all = [
    anyProblems,
    ...(isCaller ? [callerProblems] : []),
    ...(access === 'admin' ? [adminProblems] : []),
    ...(body && isCaller ? [bodyProblems] : []),
    ...(query ? [queryProblems] : []),
    problems,
  ];
  const statuses = [...new Set(all.flatMap((one) => Object.keys(one)))].map(Number).toSorted((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => [status, [...new Set(all.flatMap((one) => one[status] ?? []))]]),
  );
}

function parametersIn(place: 'path' | 'query' | 'header', schema: z.ZodObject | undefined): Json[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = schemaOf(schema, 'input') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, of]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: of,
  }));
}

const reasonOf: Readonly<Record<number, string>> = { 200: 'Done', 201: 'Made', 202: 'Taken' };

function operationOf(route: string, operation: Operation): Json {
  const { summary, access, path, query, headers, body, bodyIsOptional, answers } = operation;
  const parameters = [
    ...parametersIn('path', path),
    ...parametersIn('query', query),
    ...parametersIn('header', headers),
  ];
  const good = Object.entries(answers).map(([status, answer]) => [
    status,
    {
      description: reasonOf[Number(status)] ?? '',
      content:
        typeof answer === 'string'
          ? { [answer]: { schema: { type: 'string' } } }
          : { 'application/json': { schema: schemaOf(answer, 'output') } },
    },
  ]);
  const bad = Object.entries(problemsOf(operation)).map(([status, titles = []]) => [
    status,
    {
      description: titles.join(', or '),
      content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      ...((status === '429' || status === '503') && {
        headers: { 'retry-after': { schema: { type: 'string' }, description: 'Seconds.' } },
      }),
    },
  ]);
  return {
    operationId: route.replaceAll(/[^A-Za-z]+(\w?)/g, (_, letter: string) => letter.toUpperCase()),
    summary,
    ...(access === 'caller' || access === 'admin' ? {} : { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: !bodyIsOptional,
        content: { 'application/json': { schema: schemaOf(body, 'input') } },
      },
    }),
    responses: Object.fromEntries([...good, ...bad]),
  };
}

/** The OpenAPI 3.1 document of everything that callers use. */
export function openApi(version: string): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const [route, operation] of Object.entries(operations)) {
    const [method = '', path = ''] = route.split(' ');
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationOf(route, operation) };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Steploop',
      version,
      description:
        'Sessions of agents over HTTP. Errors of the functions are RFC 9457 problem documents; what the gateway itself refuses, such as an unknown path, is its own `{"message": …}`.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description:
            'The deployment’s API token, an API key, or a JWT of the OIDC issuer: docs/identity.md.',
        },
      },
      schemas: { Problem: schemaOf(ProblemBody, 'output') },
    },
  };
}
