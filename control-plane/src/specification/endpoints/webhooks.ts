import { newId } from '@voice/shared/ids/ids';
import { Webhook } from 'svix';
import { expect } from 'vitest';
import { CLERK_SECRET, type EndpointCalls, namesId } from './ground.js';

/** Phone numbers, verification and webhooks. */
export const NUMBERS_AND_WEBHOOKS: EndpointCalls = {
  'GET /phones/available': async () => ({ by: 'live' }),
  'GET /phones': async () => ({ by: 'live' }),
  'POST /phones': async (ground) => {
    const phone_number = await ground.numberForSale();
    return {
      by: 'live',
      body: { phone_number, provider: 'twilio' },
      check: async () => expect(await ground.ownedAtCarrier(phone_number)).toBe(1),
    };
  },
  'PATCH /phones/{phone_id}': async (ground) => ({
    by: 'live',
    ids: [(await ground.phone()).id],
    body: { agent_id: ground.tenant.agentId },
    check: async ({ json }) => expect(json).toMatchObject({ agent_id: ground.tenant.agentId }),
  }),
  'DELETE /phones/{phone_id}': async (ground) => {
    const { id, phone_number } = await ground.phone();
    return {
      by: 'live',
      ids: [id],
      check: async () => expect(await ground.ownedAtCarrier(phone_number)).toBe(0),
    };
  },
  'POST /verifications': async ({ twilio }) => ({
    by: 'live',
    body: { phone_number: '+14155550161', channel: 'sms' },
    check: async () => expect(await twilio.messagesTo('+14155550161')).toHaveLength(1),
  }),
  'POST /verifications/confirm': async (ground) => {
    const phone_number = '+14155550162';
    const phone = await ground.scene.number(ground.tenant, phone_number, { verified: false });
    await ground.post('/verifications', { phone_number, channel: 'sms' }, ground.tenant.live);
    const [message] = await ground.twilio.messagesTo(phone_number);
    return {
      by: 'live',
      body: { phone_number, code: /\d{6}/.exec(message!.body)![0] },
      check: async ({ json }) =>
        expect(json).toMatchObject({ phone_number_ids: [phone], user_verified: true }),
    };
  },

  'GET /webhooks/event-types': async () => ({ by: 'nobody' }),
  'GET /webhooks': async () => ({}),
  'POST /webhooks': async ({ scene }) => ({
    body: { url: scene.receiver.url('/posted'), event_types: ['call.started'], sandbox: true },
    check: async ({ json }) => expect(json).toMatchObject({ secret: expect.any(String) }),
  }),
  'GET /webhooks/{webhook_id}': async (ground) => {
    const { id } = await ground.webhook();
    return { ids: [id], check: namesId(id) };
  },
  'PATCH /webhooks/{webhook_id}': async (ground) => ({
    ids: [(await ground.webhook()).id],
    body: { event_types: ['call.failed'] },
    check: async ({ json }) => expect(json).toMatchObject({ event_types: ['call.failed'] }),
  }),
  'DELETE /webhooks/{webhook_id}': async (ground) => {
    const { id } = await ground.webhook();
    return { ids: [id], check: async () => expect(await ground.statusOf(`/webhooks/${id}`)).toBe(404) };
  },
  'GET /webhooks/{webhook_id}/deliveries': async (ground) => {
    const { id, webhook_id } = await ground.delivery();
    // Events of other tests' calls may be delivered to it as well.
    const check = async ({ json }: { json: unknown }) =>
      expect(json).toEqual(expect.arrayContaining([expect.objectContaining({ id })]));
    return { ids: [webhook_id], check };
  },
  'POST /webhooks/deliveries/{delivery_id}/replay': async (ground) => {
    const { id, event_id } = await ground.delivery();
    return { ids: [id], check: async ({ json }) => expect(json).toMatchObject({ event_id }) };
  },
  'POST /webhooks/{webhook_id}/test': async (ground) => ({
    ids: [(await ground.webhook()).id],
    body: { event_type: 'call.started', payload: { note: 'synthetic' } },
  }),
  'GET /webhooks/config': async () => ({}),
  'PUT /webhooks/config': async ({ scene }) => ({ body: { url: scene.receiver.url('/single') } }),
  'DELETE /webhooks/config': async (ground) => {
    const { scene, tenant } = ground;
    await scene.json(tenant.test, 'PUT', '/api/v1/webhooks/config', { url: scene.receiver.url('/single') });
    return { check: async () => expect(await ground.get('/webhooks/config')).toMatchObject({ url: null }) };
  },
  'POST /webhooks/clerk': async () => {
    const [id, at] = [`msg_${newId()}`, new Date()];
    const data = {
      id: `user_${newId()}`,
      email_addresses: [{ id: 'idn_1', email_address: 'ada@example.com' }],
      primary_email_address_id: 'idn_1',
      first_name: 'Ada',
      last_name: 'Lovelace',
    };
    const body = JSON.stringify({ object: 'event', type: 'user.created', data });
    return {
      by: 'nobody',
      body,
      headers: {
        'svix-id': id,
        'svix-timestamp': String(Math.floor(at.getTime() / 1000)),
        'svix-signature': new Webhook(CLERK_SECRET).sign(id, at, body),
      },
      check: async ({ json }) =>
        expect(Object.values(json as object).every((value) => typeof value === 'string')).toBe(true),
    };
  },
};
