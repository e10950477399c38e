/** A domain name of an API, in place of the one that AWS assigns. */

import {
  DomainName as ApiDomainName,
  ApiMapping,
  type IApi,
  type IStage,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { ARecord, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { ApiGatewayv2DomainProperties } from 'aws-cdk-lib/aws-route53-targets';
import { Construct } from 'constructs';
import type { DomainName } from './props.ts';

export interface DomainProps extends DomainName {
  api: IApi;
  stage: IStage;
}

export class Domain extends Construct {
  /** The target host for an alias record or a CNAME. */
  readonly target: string;

  constructor(scope: Construct, id: string, { name, certificate, zone, api, stage }: DomainProps) {
    super(scope, id);
    const domainName = new ApiDomainName(this, 'Name', { domainName: name, certificate });
    new ApiMapping(this, 'Mapping', { api, stage, domainName });
    this.target = domainName.regionalDomainName;
    if (!zone) return;
    const alias = new ApiGatewayv2DomainProperties(this.target, domainName.regionalHostedZoneId);
    new ARecord(this, 'Record', { zone, recordName: `${name}.`, target: RecordTarget.fromAlias(alias) });
  }
}
