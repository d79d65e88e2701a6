import { optionalText, url } from '../environment/parsers.js';

export { optionalText };

/** The address of a server: of a vendor's, or of an emulator's. */
export const optionalUrl = optionalText.pipe(url('http', 'https', 'ws', 'wss').optional());

/** Returns a record of the pairs, whose keys are known to be all that there are. */
export function recordOf<Key extends string, Value>(
  pairs: readonly (readonly [Key, Value])[],
): Record<Key, Value> {
  const record = {} as Record<Key, Value>;
  for (const [key, value] of pairs) record[key] = value;
  return record;
}
