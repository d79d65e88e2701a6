import { expect } from 'vitest';
import { CALLEE } from '../scene.js';
import { type EndpointCall, type EndpointCalls, namesId } from './ground.js';

const DAY_MS = 86_400_000;
const becomes = (id: string, status: string): EndpointCall => ({
  ids: [id],
  check: async ({ json }) => expect(json).toMatchObject({ status }),
});

/** Campaigns, compliance, analytics and billing. */
export const CAMPAIGNS: EndpointCalls = {
  'POST /campaigns': async ({ tenant }) => ({
    body: { name: 'Spring', agent_id: tenant.agentId, contacts: [{ phone: CALLEE }] },
  }),
  'GET /campaigns': async () => ({}),
  'GET /campaigns/{campaign_id}': async (ground) => {
    const { id } = await ground.campaign();
    return { ids: [id], check: namesId(id) };
  },
  'PATCH /campaigns/{campaign_id}': async (ground) => ({
    ids: [(await ground.campaign()).id],
    body: { success_criteria: 'A meeting is booked.' },
    check: async ({ json }) => expect(json).toMatchObject({ success_criteria: 'A meeting is booked.' }),
  }),
  'POST /campaigns/{campaign_id}/start': async (ground) => becomes((await ground.campaign()).id, 'running'),
  'POST /campaigns/{campaign_id}/pause': async (ground) => {
    const { id } = await ground.campaign();
    await ground.post(`/campaigns/${id}/start`);
    return becomes(id, 'paused');
  },
  'POST /campaigns/{campaign_id}/cancel': async (ground) =>
    becomes((await ground.campaign()).id, 'cancelled'),
  'POST /campaigns/generate-criteria': async () => ({ body: { goal: 'Book product demos' } }),
  'GET /campaigns/{campaign_id}/analytics': async (ground) => ({ ids: [(await ground.campaign()).id] }),
  'GET /campaigns/{campaign_id}/insights': async (ground) => ({
    ids: [(await ground.campaign()).id],
    check: async ({ json }) => expect(json).toMatchObject({ insights: [] }),
  }),
  'GET /campaigns/{campaign_id}/extracted-data': async (ground) => ({ ids: [(await ground.campaign()).id] }),
  'GET /campaigns/{campaign_id}/extracted-data/export': async (ground) => ({
    ids: [(await ground.campaign({ name: 'Spring sale' })).id],
    check: async ({ headers }) => {
      expect(headers.get('content-type')).toMatch(/^text\/csv/);
      expect(headers.get('content-disposition')).toMatch(/^attachment; filename=.*Spring/);
    },
  }),
  'GET /campaigns/{campaign_id}/contacts': async (ground) => ({
    ids: [(await ground.campaign()).id],
    check: async ({ json }) => expect(json).toMatchObject({ contacts: [{ phone: CALLEE }] }),
  }),
  'POST /campaigns/{campaign_id}/contacts/{contact_id}/reschedule': async (ground) => {
    const { id } = await ground.campaign();
    const next_retry_at = new Date(Date.now() + DAY_MS).toISOString();
    return {
      ids: [id, await ground.contactOf(id)],
      body: { next_retry_at },
      check: async ({ json }) => expect(json).toMatchObject({ status: 'pending', next_retry_at }),
    };
  },
  'POST /campaigns/upload': async ({ tenant }) => ({
    query: `?agent_id=${tenant.agentId}&campaign_name=Uploaded`,
    body: [
      '--b\r\nContent-Disposition: form-data; name="file"; filename="c.csv"\r\nContent-Type: text/csv\r\n',
      `phone\n${CALLEE}\n\r\n--b--\r\n`,
    ].join('\r\n'),
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
  }),

  'POST /compliance/check': async () => ({ body: { to_number: CALLEE } }),
  'GET /analytics/overview': async () => ({}),
  'GET /billing/usage': async () => ({}),
  'POST /billing/setup': async () => ({ by: 'live', body: {} }),
  'POST /billing/checkout': async () => ({ by: 'live', body: { plan: 'starter' } }),
  'POST /billing/portal': async (ground) => {
    await ground.post('/billing/setup', {}, ground.tenant.live);
    return { by: 'live' };
  },
};
