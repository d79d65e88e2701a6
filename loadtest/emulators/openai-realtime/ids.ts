import { randomBytes } from 'node:crypto';

/** Ids as the service makes them, such as `item_Bq2x…`. */
export function newId(kind: 'event' | 'sess' | 'conv' | 'item' | 'resp' | 'call'): string {
  return `${kind}_${randomBytes(12).toString('base64url').replaceAll('-', 'a').replaceAll('_', 'b')}`;
}
