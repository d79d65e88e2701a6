import { isIPv6 } from 'node:net';

/** Groups of an IPv6 address, and those of them that name a network: a customer of a provider has one at least. */
const GROUPS = 8;
const NETWORK_GROUPS = 4;

/**
 * Returns the network that an address belongs to, as far as requests without a tenant are counted by it: an IPv4 address
 * is one of its own; of IPv6, a client with one address has the 2^64 of its /64. Pure.
 */
export function clientNetwork(address: string | undefined): string {
  if (address === undefined) return 'unknown';
  const [plain = ''] = address.split('%');
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(plain)) return plain;
  const [before = '', after] = plain.split('::');
  const first = groupsOf(before);
  const last = after === undefined ? [] : groupsOf(after);
  const all = [...first, ...Array<string>(GROUPS - first.length - last.length).fill('0'), ...last];
  const network = all.slice(0, NETWORK_GROUPS).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}

/** An IPv4 address at the end takes the place of two groups, none of which is of the network. */
function groupsOf(text: string): string[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]));
}
