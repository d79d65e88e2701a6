import { hkdfSync } from 'node:crypto';
import { z } from 'zod';

const KEY_BYTES = 32;
const ID_BYTES = 4;

/** The key that is used from now on, then those of before, which only open what they have sealed and signed. */
export type SecretsKeys = string | readonly [current: string, ...old: string[]];

/** How the environment names earlier keys: by comma, or as a JSON list where one has a comma in itself. */
export const oldKeys = z
  .string()
  .default('')
  .transform((text, context) => {
    const isList = text.trim().startsWith('[');
    try {
      const keys: unknown = isList ? JSON.parse(text) : text.split(',').map((key) => key.trim());
      return z.array(z.string()).parse(keys);
    } catch {
      context.addIssue('expected keys by comma, or a JSON list of them');
      return z.NEVER;
    }
  })
  .transform((keys) => keys.filter((key) => key !== ''))
  .refine((keys) => keys.every((key) => key.length >= 32), 'expected at least 32 characters in each key');

/** Keys of one purpose; the current one first. */
export function deriveKeys(keys: SecretsKeys, purpose: string): readonly [Buffer, ...Buffer[]] {
  const [current, ...old] = typeof keys === 'string' ? [keys] : keys;
  const derive = (key: string) => Buffer.from(hkdfSync('sha256', key, '', purpose, KEY_BYTES));
  return [derive(current), ...old.map(derive)];
}

/** Names a key without revealing any of it, as 8 hex digits. */
export function keyIdOf(key: string): string {
  return Buffer.from(hkdfSync('sha256', key, '', 'secrets key id', ID_BYTES)).toString('hex');
}
