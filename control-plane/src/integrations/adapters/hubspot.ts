import { z } from 'zod';
import { VendorFailure } from '../../platform/vendor-http.js';
import { action, type OAuthAdapter, type OAuthCredentials, type VendorCall } from '../adapter.js';

/** A note belongs to a contact by this type (https://developers.hubspot.com/docs/api/crm/associations). */
const NOTE_TO_CONTACT = 202;

const withId = z.looseObject({ id: z.string() });

/** https://developers.hubspot.com/docs/api/oauth-quickstart-guide; access tokens last 30 minutes. */
export const hubspot: OAuthAdapter = {
  kind: 'oauth',
  slug: 'hubspot',
  name: 'HubSpot',
  description: 'Creates and updates contacts, and notes on them.',
  vendor: 'hubspot',
  hosts: { app: 'https://app.hubspot.com', api: 'https://api.hubapi.com' },
  configHint: 'Nothing is needed.',
  oauth: {
    authorize: { host: 'app', path: '/oauth/authorize' },
    token: { host: 'api', path: '/oauth/v1/token' },
    scopes: ['oauth', 'crm.objects.contacts.read', 'crm.objects.contacts.write'],
    scopeSeparator: ' ',
    pkce: false,
    deadGrants: ['BAD_REFRESH_TOKEN'],
  },
  async check(call) {
    const token = encodeURIComponent(call.credentials.access_token);
    const url = call.at('api', `/oauth/v1/access-tokens/${token}`);
    try {
      const { json } = await call.send({ method: 'GET', url, anonymous: true });
      return { account: String(z.looseObject({ hub_id: z.number() }).parse(json).hub_id) };
    } catch (error) {
      // A token that does not count is one that is malformed or not found.
      if (!(error instanceof VendorFailure) || (error.status !== 400 && error.status !== 404)) throw error;
      throw new VendorFailure('unauthorized', error.message, error);
    }
  },
  async revoke(call: VendorCall<OAuthCredentials>) {
    const token = encodeURIComponent(call.credentials.refresh_token ?? '');
    await call.send({
      method: 'DELETE',
      url: call.at('api', `/oauth/v1/refresh-tokens/${token}`),
      anonymous: true,
    });
  },
  isUnknownToken: ({ status }) => status === 404,
  actions: [
    action({
      name: 'upsert_contact',
      description: 'Creates a contact in HubSpot, or updates the one with this email address.',
      parameters: z.object({
        email: z.email().max(320),
        first_name: z.string().max(200).optional(),
        last_name: z.string().max(200).optional(),
        phone: z.string().max(50).optional(),
        company: z.string().max(200).optional(),
      }),
      repeatable: true,
      async run(call, { email, first_name: firstname, last_name: lastname, phone, company }) {
        const { json } = await call.send({
          method: 'POST',
          url: call.at('api', '/crm/v3/objects/contacts/batch/upsert'),
          json: {
            inputs: [
              { id: email, idProperty: 'email', properties: { email, firstname, lastname, phone, company } },
            ],
          },
        });
        const [contact] = z.looseObject({ results: z.array(withId).min(1) }).parse(json).results;
        return { contact_id: contact!.id };
      },
    }),
    action({
      name: 'create_note',
      description: 'Writes a note on a HubSpot contact, found by its email address.',
      parameters: z.object({ email: z.email().max(320), note: z.string().min(1).max(10_000) }),
      repeatable: false,
      async run(call, { email, note }) {
        const found = await call.send({
          method: 'GET',
          url: call.at('api', `/crm/v3/objects/contacts/${encodeURIComponent(email)}`),
          query: { idProperty: 'email' },
        });
        const contact = withId.safeParse(found.json);
        if (!contact.success) throw new VendorFailure('unavailable', 'HubSpot gave no contact.');
        const { json } = await call.send({
          method: 'POST',
          url: call.at('api', '/crm/v3/objects/notes'),
          json: {
            properties: { hs_timestamp: new Date(call.now).toISOString(), hs_note_body: note },
            associations: [
              {
                to: { id: contact.data.id },
                types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: NOTE_TO_CONTACT }],
              },
            ],
          },
        });
        return { note_id: withId.parse(json).id, contact_id: contact.data.id };
      },
    }),
  ],
};
