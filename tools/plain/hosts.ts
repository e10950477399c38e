/** Allowed and denied hosts, by name: `example.com`, or `*.example.com` for all below it. */
export interface Hosts {
  /** Only these hosts; every public host if absent. */
  readonly allow?: readonly string[];
  /** Never these hosts, even if they are allowed. */
  readonly deny?: readonly string[];
}

const NAME = /^(?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/;

/** Throws if a name is not a host: a URL, a port or a wildcard elsewhere would never match. */
export function checkHosts({ allow = [], deny = [] }: Hosts): void {
  const wrong = [...allow, ...deny].find((host) => !NAME.test(host));
  if (wrong !== undefined)
    throw new Error(
      `${JSON.stringify(wrong)} is not a host name: write example.com, or *.example.com for all below it`,
    );
}

/** Why a URL is not fetched; undefined if it may be. Pure. */
export function refusalOf(url: URL, { allow, deny = [] }: Hosts): string | undefined {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return `${url.protocol} is not fetched.`;
  if (deny.some((host) => covers(host, url.hostname))) return `${url.hostname} must not be asked.`;
  if (allow && !allow.some((host) => covers(host, url.hostname)))
    return `${url.hostname} is not among the hosts that may be asked: ${allow.join(', ')}.`;
  return undefined;
}

/** A dot at the end means the same host to a resolver. */
function covers(host: string, name: string): boolean {
  const plain = name.replace(/\.$/, '');
  return host.startsWith('*.') ? plain.endsWith(host.slice(1)) : plain === host;
}
