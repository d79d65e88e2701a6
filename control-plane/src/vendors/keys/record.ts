import { VENDOR_NAMES, type Vendor } from '@voice/shared/catalogue/providers';
import { z } from 'zod';

/** Changes that are remembered; the oldest go first. */
const MAX_CHANGES = 50;

const vendorName = z.enum(VENDOR_NAMES as [Vendor, ...Vendor[]]);
const changedBy = {
  /** The key's id; `dashboard/…` or `identity/…` for sessions. */
  key_id: z.string(),
  user_id: z.string().nullable(),
};
const heldKey = z.object({
  last_four: z.string(),
  /** When the vendor took it, epoch ms; null where it was not asked or could not say. */
  checked_at: z.number().nullable(),
  changed_at: z.number(),
  ...changedBy,
});
const keyChange = z.object({
  provider: vendorName,
  action: z.enum(['set', 'replaced', 'deleted']),
  at: z.number(),
  ...changedBy,
});

/** Which keys a tenant has, and who changed what: without a secret. */
export const vendorKeysRecord = z.object({
  held: z.partialRecord(vendorName, heldKey),
  /** Newest first. */
  changes: z.array(keyChange),
});
export type VendorKeysRecord = z.output<typeof vendorKeysRecord>;
export const NO_KEYS: VendorKeysRecord = { held: {}, changes: [] };

/** The keys by vendor, as they are sealed. */
export const keyring = z.partialRecord(vendorName, z.string());
export type Keyring = z.output<typeof keyring>;

/** What is kept of a tenant's keys, secrets opened. */
export interface HeldKeys {
  readonly record: VendorKeysRecord;
  readonly keys: Keyring;
}

/** Who changed a key: a credential, and the person behind it where that is known. */
export interface ChangedBy {
  readonly keyId: string;
  readonly userId: string | null;
}

interface Change {
  readonly provider: Vendor;
  readonly by: ChangedBy;
  /** Epoch ms. */
  readonly now: number;
}

/** Returns what is kept with the key set, or put in the place of the one before. Pure. */
export function withKey(
  { record, keys }: HeldKeys,
  { provider, by, now }: Change,
  given: { readonly apiKey: string; readonly checkedAt: number | null },
): HeldKeys {
  const who = { key_id: by.keyId, user_id: by.userId };
  const action = record.held[provider] ? 'replaced' : 'set';
  const held = {
    last_four: given.apiKey.slice(-4),
    checked_at: given.checkedAt,
    changed_at: now,
    ...who,
  };
  return {
    keys: { ...keys, [provider]: given.apiKey },
    record: {
      held: { ...record.held, [provider]: held },
      changes: [{ provider, action, at: now, ...who } as const, ...record.changes].slice(0, MAX_CHANGES),
    },
  };
}

/** Returns what is kept without the key. Pure. */
export function withoutKey({ record, keys }: HeldKeys, { provider, by, now }: Change): HeldKeys {
  const { [provider]: _key, ...otherKeys } = keys;
  const { [provider]: _held, ...held } = record.held;
  const change = {
    provider,
    action: 'deleted',
    at: now,
    key_id: by.keyId,
    user_id: by.userId,
  } as const;
  return { keys: otherKeys, record: { held, changes: [change, ...record.changes].slice(0, MAX_CHANGES) } };
}
