import type { ConnectOptions } from 'mongoose';

/** Options of a MongoDB URI that say how reads and writes are acknowledged; the URI's names are of any case. */
const IN_URI: ReadonlySet<string> = new Set([
  'w',
  'j',
  'journal',
  'fsync',
  'wtimeout',
  'wtimeoutms',
  'readconcernlevel',
  'readpreference',
  'readpreferencetags',
  'maxstalenessseconds',
]);

/**
 * Every read is the primary's and of what a majority has, every write is a majority's and in its journal: the
 * program's conditional updates and its promises to tenants hold for nothing less.
 */
export const CONSISTENCY = {
  readPreference: 'primary',
  readConcern: { level: 'majority' },
  writeConcern: { w: 'majority', journal: true },
} as const satisfies ConnectOptions;

/** Returns the URI without the options that `CONSISTENCY` decides; the driver would mix them. Pure. */
export function withoutConsistency(uri: string): string {
  const [address, ...query] = uri.split('?');
  const kept = query
    .join('?')
    .split('&')
    .filter((option) => option !== '' && !IN_URI.has(option.split('=', 1)[0]!.toLowerCase()));
  return kept.length === 0 ? address! : `${address}?${kept.join('&')}`;
}
