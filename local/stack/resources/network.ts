/**
 * Networks, domain names and certificates, which matter only on AWS. Here a function reaches whatever this machine reaches, and
 * an API answers on this machine, whatever its domain name.
 */

import { arnOf, stableId } from '../identity.ts';
import type { Created, Site } from '../site.ts';
import { type Declared, optionalText, requiredText } from '../template/properties.ts';

type Ignore = (item: Declared, site: Site) => Created;

/** Types that are created in name only, with a notice. */
export const NETWORK: Record<string, Ignore> = {
  'AWS::EC2::VPC': ignored('vpc', ['VpcId', 'CidrBlock', 'DefaultSecurityGroup', 'DefaultNetworkAcl']),
  'AWS::EC2::Subnet': ignored('subnet', ['SubnetId', 'AvailabilityZone', 'CidrBlock', 'VpcId']),
  'AWS::EC2::RouteTable': ignored('rtb', ['RouteTableId']),
  'AWS::EC2::Route': ignored('r'),
  'AWS::EC2::SubnetRouteTableAssociation': ignored('rtbassoc', ['Id']),
  'AWS::EC2::InternetGateway': ignored('igw', ['InternetGatewayId']),
  'AWS::EC2::VPCGatewayAttachment': ignored('attach'),
  'AWS::EC2::EIP': ignored('eip', ['AllocationId', 'PublicIp']),
  'AWS::EC2::NatGateway': ignored('nat', ['NatGatewayId']),
  'AWS::EC2::VPCEndpoint': ignored('vpce', ['Id']),
  'AWS::EC2::SecurityGroup': ignored('sg', ['GroupId', 'Id', 'VpcId']),
  'AWS::EC2::SecurityGroupIngress': ignored('sgr', ['Id']),
  'AWS::EC2::SecurityGroupEgress': ignored('sgr', ['Id']),
  'AWS::EC2::FlowLog': ignored('fl', ['Id']),
  'AWS::CertificateManager::Certificate': certificate,
  'AWS::Route53::HostedZone': ignored('zone', ['Id']),
  'AWS::Route53::RecordSet': ignored('record'),
  'AWS::ApiGatewayV2::DomainName': domainName,
  'AWS::ApiGatewayV2::ApiMapping': apiMapping,
};

/** Creates an id, which is also the value of each of these attributes: they are not used here. */
function ignored(prefix: string, attributes: readonly string[] = []): Ignore {
  return (item, site) => {
    const id = `${prefix}-${stableId(site.stackName, item.id)}`;
    if (item.type === 'AWS::EC2::VPC')
      site.notice(`${item.id}: VPCs are not emulated; functions can reach whatever this machine can reach`);
    return { ref: id, attributes: Object.fromEntries(attributes.map((name) => [name, id])) };
  };
}

function certificate(item: Declared, site: Site): Created {
  return { ref: arnOf('acm', `certificate/${stableId(site.stackName, item.id)}`), attributes: {} };
}

function domainName(item: Declared, site: Site): Created {
  const name = requiredText(item, 'DomainName');
  site.notice(`${name} is a name on AWS only; its target answers on this machine`);
  const attributes = { RegionalDomainName: `d.${name}`, RegionalHostedZoneId: 'Z000000000000' };
  return { ref: name, attributes };
}

/** Addresses under the domain name lead to the local API. Base paths are not emulated. */
function apiMapping(item: Declared, site: Site): Created {
  const api = site.apis.get(requiredText(item, 'ApiId'));
  if (!api) throw new Error(`${item.id}: its API is not part of this stack`);
  if (optionalText(item, 'ApiMappingKey'))
    throw new Error(`${item.id}: a mapping to a path of a domain is not supported`);
  const stage = requiredText(item, 'Stage');
  site.domains.set(requiredText(item, 'DomainName'), { api, stage });
  const id = stableId(site.stackName, item.id);
  return { ref: id, attributes: { ApiMappingId: id } };
}
