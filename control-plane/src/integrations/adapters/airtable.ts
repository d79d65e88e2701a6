import { z } from 'zod';
import { action, type KeyAdapter } from '../adapter.js';
import { configured } from './configured.js';

/** https://airtable.com/developers/web/api */
export const airtable: KeyAdapter = {
  kind: 'api_key',
  slug: 'airtable',
  name: 'Airtable',
  description: 'Creates records in a base.',
  vendor: 'airtable',
  hosts: { api: 'https://api.airtable.com' },
  configHint: '`table`: name or id of the table that records go to.',
  fields: z.object({
    api_key: z.string().trim().min(1).max(500).describe('Personal access token.'),
    base_id: z
      .string()
      .trim()
      .regex(/^app[A-Za-z0-9]{1,32}$/, 'must look like app…')
      .describe('Id of the base.'),
  }),
  headers: ({ api_key }) => ({ authorization: `Bearer ${api_key}` }),
  async check(call) {
    const { json } = await call.send({ method: 'GET', url: call.at('api', '/v0/meta/whoami') });
    return { account: z.looseObject({ id: z.string() }).parse(json).id };
  },
  actions: [
    action({
      name: 'create_record',
      description: 'Creates a record in Airtable.',
      parameters: z.object({
        fields: z
          .record(z.string().min(1).max(200), z.union([z.string().max(10_000), z.number(), z.boolean()]))
          .describe('Values by the names of the fields.'),
        table: z.string().min(1).max(200).optional().describe('Name of the table; left out, the usual one.'),
      }),
      repeatable: false,
      async run(call, { fields, table }) {
        const base = call.credentials.kind === 'api_key' ? call.credentials.fields.base_id : '';
        const name = encodeURIComponent(table ?? configured(call, 'table'));
        const { json } = await call.send({
          method: 'POST',
          url: call.at('api', `/v0/${base}/${name}`),
          json: { fields, typecast: true },
        });
        return { record_id: z.looseObject({ id: z.string() }).parse(json).id };
      },
    }),
  ],
};
