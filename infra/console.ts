/** The console: the operator's page, and the function that serves it. The function has no access to data: the page reads the APIs. */

import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { Ground } from './ground.ts';
import { Handler } from './handler.ts';
import type { ConsoleProps } from './props.ts';

export interface ConsoleGround extends Ground {
  readonly settings: ConsoleProps;
  /** The WebSocket address for pages. */
  readonly socketUrl: string;
}

export class Console extends Construct {
  readonly handler: Handler;

  constructor(scope: Construct, id: string, { config, code, settings, socketUrl }: ConsoleGround) {
    super(scope, id);
    const { identity } = config;
    this.handler = new Handler(this, 'Console', {
      config,
      description: 'Serves the console, a page with its own files.',
      code: code('console'),
      timeout: Duration.seconds(10),
      memorySize: 512,
      environment: {
        SOCKET_URL: socketUrl,
        ...(identity &&
          settings.clientId !== undefined && {
            OIDC_ISSUER: identity.issuer,
            OIDC_AUDIENCE: identity.audiences.join(','),
            CONSOLE_CLIENT_ID: settings.clientId,
            ...(settings.origins && { CONSOLE_ORIGINS: settings.origins.join(' ') }),
          }),
      },
      may: [],
    });
  }
}
