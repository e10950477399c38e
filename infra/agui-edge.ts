/** A CloudFront distribution in front of the address of AG-UI and chat, which can have a web ACL. */

import { Duration } from 'aws-cdk-lib';
import {
  AllowedMethods,
  CachePolicy,
  Distribution,
  OriginRequestPolicy,
  PriceClass,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { FunctionUrlOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import type { FunctionUrl } from 'aws-cdk-lib/aws-lambda';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { edgeHeader } from '../shared/contract/routes.ts';
import { accept } from './accepted.ts';
import type { Config } from './config.ts';

/**
 * Proves to the function that a request came through the distribution. CloudFront's own signature (origin access control) would
 * be checked before the function, but takes the header `Authorization`, which is our callers', and a hash of every body, which no
 * AG-UI client sends.
 */
export class EdgeSecret extends Secret {
  constructor(scope: Construct, id: string, { encryptionKey }: Config) {
    super(scope, id, {
      description: 'Sent by CloudFront to the function of AG-UI, which refuses requests without it.',
      generateSecretString: { passwordLength: 40, excludePunctuation: true },
      ...(encryptionKey && { encryptionKey }),
    });
    accept(
      this,
      'SMG4',
      'CloudFront gets its value at a deploy, so a rotation between deploys would close the door.',
    );
  }
}

export interface AguiEdgeProps {
  readonly config: Config;
  readonly url: FunctionUrl;
  readonly secret: Secret;
}

export class AguiEdge extends Construct {
  readonly distribution: Distribution;

  constructor(scope: Construct, id: string, { config, url, secret }: AguiEdgeProps) {
    super(scope, id);
    this.distribution = new Distribution(this, 'Distribution', {
      comment: `AG-UI of ${config.name}`,
      ...(config.webAcl !== undefined && { webAclId: config.webAcl }),
      priceClass: PriceClass.PRICE_CLASS_ALL,
      defaultBehavior: {
        origin: new FunctionUrlOrigin(url, {
          // Between two pieces of a stream; silence is broken every 15 s (functions/routes/session-stream.ts).
          readTimeout: Duration.seconds(60),
          // A reference that CloudFormation resolves: the template has no value.
          customHeaders: { [edgeHeader]: secret.secretValue.unsafeUnwrap() },
        }),
        allowedMethods: AllowedMethods.ALLOW_ALL,
        cachePolicy: CachePolicy.CACHING_DISABLED,
        // All headers, with Authorization, except the one that would name another host than the function's.
        originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
        viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
        compress: false,
      },
    });
    accept(this, 'CFR1', 'Callers are authenticated, wherever they are.');
    accept(this, 'CFR2', 'A web ACL is the prop webAcl.');
    accept(this, 'CFR3', 'Access logs would need a bucket; the function logs each request that it refuses.');
    accept(this, 'CFR4', 'The certificate of CloudFront’s own name has no other minimum.');
    accept(this, 'CFR7', 'A function URL with its own authentication, behind a secret header.');
  }
}
