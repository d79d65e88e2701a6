import { BlockList, isIP, isIPv4 } from 'node:net';

/**
 * Addresses that a tenant's URL must not reach: this machine, private networks, link-local (cloud
 * metadata), shared, documentation, multicast and reserved ranges (IANA special-purpose registries).
 */
const REFUSED_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
/** Of IPv6 only 2000::/3 is allocated for the internet: the rest is refused, whatever IPv4 address it may embed. */
const REFUSED_V6 = ['::/3', '4000::/2', '8000::/1', '2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

export interface AddressPolicy {
  /** Returns whether a tenant's URL may lead to this IP address. */
  allows(address: string): boolean;
}

/**
 * @param allow CIDR ranges that are let through all the same, such as `127.0.0.0/8` for local tests
 * @throws Error naming the first range that is no CIDR
 */
export function createAddressPolicy(allow: readonly string[]): AddressPolicy {
  // Two lists: a list of both would take an IPv4 address for its IPv4-mapped form, which is in ::/3.
  const refused = { ipv4: blockList(REFUSED_V4), ipv6: blockList(REFUSED_V6) };
  const allowed = blockList(allow);
  return {
    allows(address) {
      const plain = unmapped(address);
      const family = isIPv4(plain) ? 'ipv4' : 'ipv6';
      if (isIP(plain) === 0) return false;
      return allowed.check(plain, family) || !refused[family].check(plain, family);
    },
  };
}

/** Unwraps an IPv4-mapped address: `::ffff:10.0.0.1` is 10.0.0.1 in disguise. */
function unmapped(address: string): string {
  const match = /^::ffff:(.+)$/i.exec(address);
  if (!match) return address;
  if (isIPv4(match[1]!)) return match[1]!;
  const groups = /^([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(match[1]!);
  if (!groups) return address;
  const high = Number.parseInt(groups[1]!, 16);
  const low = Number.parseInt(groups[2]!, 16);
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}

function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', prefix = ''] = range.split('/');
    const family = isIP(address);
    const bits = Number(prefix);
    if (
      family === 0 ||
      prefix === '' ||
      !Number.isInteger(bits) ||
      bits < 0 ||
      bits > (family === 4 ? 32 : 128)
    ) {
      throw new Error(`${range} is not a CIDR range such as 10.0.0.0/8`);
    }
    list.addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}
