import { randomBytes } from 'node:crypto';

/** Creates a Twilio identifier: two letters (a call's or a media stream's) and 32 hexadecimal digits. */
export function sid(prefix: 'CA' | 'MZ'): string {
  return prefix + randomBytes(16).toString('hex');
}
