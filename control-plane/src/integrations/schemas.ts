import { z } from 'zod';

export const slugParams = z.object({ slug: z.string().max(64) });

export const integrationInfo = z
  .object({
    slug: z.string(),
    name: z.string(),
    description: z.string(),
    connection_kind: z
      .enum(['oauth', 'api_key'])
      .describe('Whether `connect` or `api-key-connect` connects it.'),
    available: z.boolean().describe('Whether this installation can connect it.'),
    fields: z
      .array(z.object({ name: z.string(), description: z.string() }))
      .describe('What `api-key-connect` needs.'),
    status: z.enum(['connected', 'not_connected', 'reconnect_needed']),
    connected: z.boolean(),
    account: z.string().nullable().describe('Whose account it is, as the vendor says.'),
    connected_at: z.iso.datetime().nullable(),
    config: z.record(z.string(), z.unknown()),
    config_hint: z.string().describe('What `config` may say.'),
    actions: z
      .array(
        z.object({
          name: z.string(),
          description: z.string(),
          parameters: z.record(z.string(), z.unknown()).describe('JSON Schema.'),
        }),
      )
      .describe("What agents' tools of the type `integration` may do."),
  })
  .meta({ id: 'IntegrationInfo' });
export type IntegrationInfo = z.output<typeof integrationInfo>;

const typedIn = z.string().max(2048);

export const apiKeyConnectRequest = z
  .strictObject({
    api_key: typedIn.optional(),
    token: typedIn.optional(),
    base_id: typedIn.optional(),
    webhook_url: typedIn.optional(),
  })
  .meta({
    id: 'ApiKeyConnectRequest',
    description:
      "Which fields an integration needs is in its `fields`: airtable's are `api_key` and `base_id`.",
  });

export const connectResponse = z
  .object({
    redirect_url: z
      .url()
      .describe(
        'Where the person consents. For a session of the dashboard it must be opened in the browser that got this ' +
          'answer: a cookie of the answer is needed when the vendor sends the person back.',
      ),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: 'ConnectResponse' });

export const connectionHealth = z
  .object({
    slug: z.string(),
    connected: z.boolean(),
    health: z
      .enum(['healthy', 'unhealthy', 'unknown', 'not_connected'])
      .describe('`unknown`: connected, but the vendor cannot be asked without doing something.'),
    account: z.string().nullable(),
    checked_at: z.iso.datetime(),
    detail: z.string(),
  })
  .meta({ id: 'ConnectionHealth' });
export type ConnectionHealth = z.output<typeof connectionHealth>;

export const updateConfigRequest = z
  .strictObject({
    config: z
      .record(z.string().min(1).max(64), z.unknown())
      .describe('Keys to set; the others stay. Up to 16 KiB in all.'),
  })
  .meta({ id: 'UpdateConfigRequest' });

export const disconnectResponse = z
  .object({
    slug: z.string(),
    connected: z.literal(false),
    revocation: z
      .enum(['revoked', 'pending', 'not_offered'])
      .describe(
        '`pending`: the vendor has not taken the tokens back, and is asked again for some hours. `not_offered`: ' +
          'keys and webhook URLs are revoked by their owner.',
      ),
  })
  .meta({ id: 'DisconnectResponse' });
export type DisconnectResponse = z.output<typeof disconnectResponse>;
