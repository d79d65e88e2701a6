import { uuid } from '@voice/shared/contracts/primitives';
import { z } from 'zod';
import { totalFields } from '../../platform/http/totals.js';

const name = z.string().trim().min(1).max(255);

export const apiKeyCreateRequest = z
  .object({
    name,
    sandbox: z
      .boolean()
      .optional()
      .describe(
        'Whether the key selects sandbox mode (`sk_test_`). Default: the mode of the caller; `false` needs production.',
      ),
  })
  .meta({ id: 'ApiKeyCreateRequest' });

const metadata = {
  id: uuid,
  name: z.string(),
  key_prefix: z.string().describe('The first characters of the key.'),
  sandbox: z.boolean(),
  review: z
    .object({
      reason: z
        .enum(['creator_deleted'])
        .describe('`creator_deleted`: the person who made the key no longer exists.'),
      since: z.iso.datetime().describe('Since when the key should be reviewed.'),
    })
    .nullable()
    .describe('Why somebody should decide whether the key is still wanted. It works until it is deleted.'),
  created_at: z.iso.datetime(),
};

const apiKeyResponse = z.object(metadata).meta({ id: 'ApiKeyResponse' });

export const apiKeyCreateResponse = z
  .object({ ...metadata, key: z.string().describe('The key itself: shown here and never again.') })
  .meta({ id: 'ApiKeyCreateResponse' });
export type ApiKeyCreateResponse = z.infer<typeof apiKeyCreateResponse>;

export const apiKeyListResponse = z
  .object({
    keys: z.array(apiKeyResponse),
    ...totalFields,
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: 'ApiKeyListResponse' });
export type ApiKeyListResponse = z.infer<typeof apiKeyListResponse>;

/** Body of `POST /internal/keys`. */
export const internalKeyRequest = z.object({
  name,
  sandbox: z.boolean(),
  tenant: z.string().trim().min(1).max(255).default('default'),
});
export const internalKeyResponse = z.object({ ...apiKeyCreateResponse.shape, tenant_id: uuid });
