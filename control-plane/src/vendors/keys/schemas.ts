import { VENDOR_NAMES, type Vendor } from '@voice/shared/catalogue/providers';
import { z } from 'zod';
import { wholeListFields } from '../../platform/http/whole-list.js';

export const vendorParams = z.object({
  provider: z
    .enum(VENDOR_NAMES as [Vendor, ...Vendor[]])
    .describe('The vendor, as `GET /providers` names it.'),
});

const changedBy = z
  .object({
    key_id: z.string().describe('The API key, or the session: `dashboard/…`, `identity/…`.'),
    user_id: z.string().nullable().describe('The person; null where a key does not say.'),
  })
  .meta({ title: 'ChangedBy' });

export const vendorKey = z
  .object({
    provider: z.string(),
    kinds: z.array(z.string()).describe('What the vendor does for agents: `stt`, `llm`, `tts`, `realtime`.'),
    set: z.boolean().describe('Whether the tenant has a key of its own.'),
    last_four: z
      .string()
      .nullable()
      .describe("The key's last four characters; null without one, and in the sandbox."),
    checked_at: z.iso.datetime().nullable().describe('When the vendor last took the key.'),
    changed_at: z.iso.datetime().nullable().describe('When the key was set or replaced.'),
    changed_by: changedBy.nullable().describe('Who set or replaced it.'),
    account: z
      .enum(['tenant', 'installation'])
      .nullable()
      .describe('Whose account agents without a key of their own are on; null where there is none.'),
  })
  .meta({ id: 'VendorKey' });
export type VendorKey = z.output<typeof vendorKey>;

const keyChange = z
  .object({
    provider: z.string(),
    action: z.enum(['set', 'replaced', 'deleted']),
    at: z.iso.datetime(),
    by: changedBy.describe('Who did it.'),
  })
  .meta({ title: 'VendorKeyChange' });

export const vendorKeyListResponse = z
  .object({
    vendor_keys: z.array(vendorKey).describe('One for each vendor, whether there is a key or not.'),
    changes: z.array(keyChange).describe('The last 50 changes, newest first; none in the sandbox.'),
    ...wholeListFields,
  })
  .meta({ id: 'VendorKeyListResponse' });
export type VendorKeyListResponse = z.output<typeof vendorKeyListResponse>;

export const vendorKeySetRequest = z
  .strictObject({
    api_key: z
      .string()
      .trim()
      .min(8)
      .max(512)
      .regex(/^[\x21-\x7e]*$/, 'A key has no spaces and no characters beyond ASCII')
      .describe('The key, as the vendor shows it. It is never shown again.'),
    verify: z
      .boolean()
      .default(true)
      .describe('Whether the vendor is asked first. False saves a key while the vendor is away.'),
  })
  .meta({ id: 'VendorKeySetRequest' });

export const vendorKeyCheck = z
  .object({
    provider: z.string(),
    health: z
      .enum(['healthy', 'refused', 'unreachable', 'unknown'])
      .describe('`unknown`: the address that is set up for the vendor cannot say.'),
    detail: z.string().describe('What was found, in words.'),
    checked_at: z.iso.datetime(),
  })
  .meta({ id: 'VendorKeyCheck' });
export type VendorKeyCheck = z.output<typeof vendorKeyCheck>;
