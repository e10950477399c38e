import { OpenAI } from 'openai/client';
import { LONGER_THAN_ANY_LAMBDA_MS } from '../common/provider.ts';
import { chatFetch } from './fetch.ts';

/** The SDK's client for one server, for both of OpenAI's APIs. It retries nothing and logs nothing. */
export const openaiClient = (baseUrl: string): OpenAI =>
  new OpenAI({
    baseURL: baseUrl,
    apiKey: 'sent with each request',
    // Ignores what this environment has set for other programs.
    organization: null,
    project: null,
    maxRetries: 0,
    fetch: chatFetch,
    timeout: LONGER_THAN_ANY_LAMBDA_MS,
    logLevel: 'off',
  });

/** Longest silence in ms: thinking models send nothing until they have thought, and these APIs have no ping. */
export const REASONING_MS = 180_000;
