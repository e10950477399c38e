import { BlockList, isIP, isIPv4 } from 'node:net';

/**
 * Which addresses may be called for others: public ones only. The author of a callback's URL, or of a URL that a model
 * is talked into fetching, chooses where this account's network sends requests. So everything inside of the network is
 * refused: this machine, private networks, and link-local addresses with the metadata services (169.254.169.254, and
 * fd00:ec2::254, which is in fc00::/7).
 */

/** IPv4 blocks that are not globally reachable: the IANA IPv4 Special-Purpose Address Registry, and multicast. */
const refusedV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/**
 * For IPv6 only global unicast is allowed (2000::/3), less what is special in it or carries an IPv4 address: protocol
 * assignments with Teredo, documentation, 6to4. Outside of it are ::1, v4-mapped and NAT64 addresses, fc00::/7,
 * fe80::/10 and ff00::/8.
 */
const refusedV6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const blocked = new BlockList();
for (const [net, prefix] of refusedV4) blocked.addSubnet(net, prefix, 'ipv4');
for (const [net, prefix] of refusedV6) blocked.addSubnet(net, prefix, 'ipv6');
const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');
const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether an IP address may be called. `allowLoopback` is for the laptop: it adds this machine, and nothing else. */
export function mayCall(address: string, allowLoopback = false): boolean {
  switch (isIP(address)) {
    case 4:
      return !blocked.check(address, 'ipv4') || (allowLoopback && loopback.check(address, 'ipv4'));
    case 6:
      return (
        (globalUnicast.check(address, 'ipv6') && !blocked.check(address, 'ipv6')) ||
        (allowLoopback && loopback.check(address, 'ipv6') && !isMapped(address))
      );
    default:
      return false;
  }
}

const isMapped = (address: string): boolean => address.toLowerCase().includes('ffff:') || isIPv4(address);

/** Longest URL in characters. */
const MAX_URL = 2_048;

/**
 * A URL that an outsider chose, or why it is not called. It must lead to a public host, by name or address; on a laptop
 * also to this machine over HTTP. The addresses behind its name are checked when it is called: see `lookup.ts`.
 *
 * @param plainHttp whether `http:` is accepted as well. Not where the request's content is confidential
 */
export function parsePublicUrl(
  text: string,
  allowLoopback: boolean,
  plainHttp = false,
): { readonly url: URL } | { readonly refused: string } {
  if (text.length > MAX_URL) return { refused: `must have at most ${MAX_URL} characters` };
  const url = URL.parse(text);
  if (!url) return { refused: 'must be a URL' };
  if (url.username || url.password) return { refused: 'must not contain a user name or password' };
  const local = allowLoopback && isLoopbackHost(url);
  if (url.protocol !== 'https:' && !((plainHttp || local) && url.protocol === 'http:'))
    return { refused: plainHttp ? 'must start with https:// or http://' : 'must start with https://' };
  if (!local && !isPublicHost(url)) return { refused: 'must lead to a public address' };
  url.hash = '';
  return { url };
}

/** The host of a URL without the brackets of an IPv6 address. The URL parser has normalized 0x7f.1 and the like. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

function isLoopbackHost(url: URL): boolean {
  const host = hostOf(url);
  return isIP(host) ? mayCall(host, true) && !mayCall(host) : host === 'localhost';
}

/** Names without a dot, and those that are never public (RFC 6761, 6762, 8375; ICANN's .internal). */
function isPublicHost(url: URL): boolean {
  const host = hostOf(url);
  if (isIP(host)) return mayCall(host);
  const name = host.replace(/\.$/, '');
  return name.includes('.') && !/(^|\.)(localhost|local|internal|home\.arpa|test|invalid|onion)$/.test(name);
}
