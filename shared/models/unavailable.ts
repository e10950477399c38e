import type { ModelOutcome } from '../agent/session/reply.ts';

/** The outcome of a request whose provider's code could not be loaded, by the error of loading it. */
export const unavailable = (provider: string, error: unknown): ModelOutcome => ({
  kind: 'failed',
  failure: isWithoutPackage(error)
    ? {
        kind: 'account',
        code: 'package_missing',
        message: `The provider ${provider} needs the package openai: npm install openai`,
      }
    : {
        kind: 'retry',
        code: 'provider_unavailable',
        message: `The code of the provider ${provider} could not be loaded.`,
        rateLimited: false,
      },
});

/** Whether the project has not installed the package that only these providers need. A deployment reports it before it deploys. */
const isWithoutPackage = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  error.code === 'ERR_MODULE_NOT_FOUND' &&
  error.message.includes("package 'openai'");
