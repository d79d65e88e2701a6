import { expect } from 'vitest';
import { agentMessage, ended } from '../../calls/testing/events.js';
import { consent } from '../../integrations/testing.js';
import { eventually } from '../../testing/eventually.js';
import { type EndpointCalls, SDP } from './ground.js';

/** Integrations and agent testing. */
export const INTEGRATIONS_AND_TESTING: EndpointCalls = {
  'GET /integrations': async () => ({ by: 'live' }),
  'POST /integrations/{slug}/api-key-connect': async ({ vendors }) => ({
    by: 'live',
    ids: ['notion'],
    body: { token: vendors.key },
    check: async ({ json }) => expect(json).toMatchObject({ slug: 'notion', connected: true }),
  }),
  'POST /integrations/{slug}/connect': async ({ vendors }) => ({
    by: 'live',
    ids: ['slack'],
    check: async ({ json }) => {
      const { origin } = new URL((json as { redirect_url: string }).redirect_url);
      expect(origin).toBe(new URL(vendors.url).origin);
    },
  }),
  'GET /integrations/{slug}/callback': async ({ scene, tenant }) => {
    const { back } = await consent(scene.plane, tenant.live, 'slack');
    return {
      by: 'nobody',
      ids: ['slack'],
      query: back.slice(back.indexOf('?')),
      check: async ({ headers }) => expect(headers.get('refresh')).toContain('/dashboard?integration=slack'),
    };
  },
  'DELETE /integrations/{slug}': async (ground) => {
    await ground.connected('cal-com');
    return {
      by: 'live',
      ids: ['cal-com'],
      check: async () =>
        expect(await ground.get('/integrations/cal-com/status', ground.tenant.live)).toMatchObject({
          connected: false,
        }),
    };
  },
  'GET /integrations/{slug}/status': async (ground) => {
    await ground.connected();
    return {
      by: 'live',
      ids: ['notion'],
      check: async ({ json }) => expect(json).toMatchObject({ connected: true, health: 'healthy' }),
    };
  },
  'PATCH /integrations/{slug}/config': async (ground) => {
    await ground.connected();
    const patch = (config: object) =>
      ground.scene.json(ground.tenant.live, 'PATCH', '/api/v1/integrations/notion/config', { config });
    await patch({ database_id: 'd1' });
    return {
      by: 'live',
      ids: ['notion'],
      body: { config: { a: 1 } },
      check: async ({ json }) => expect(json).toMatchObject({ config: { database_id: 'd1', a: 1 } }),
    };
  },

  'POST /agents/{agent_id}/test/text': async ({ tenant }) => ({
    ids: [tenant.agentId],
    body: { message: 'hello' },
    check: async ({ headers }) => {
      expect(headers.get('content-type')).toMatch(/^text\/event-stream/);
      expect(headers.get('x-session-id')).toMatch(/^[0-9a-f-]{36}$/);
    },
  }),
  'POST /agents/{agent_id}/test/webrtc': async ({ tenant }) => ({ ids: [tenant.agentId] }),
  'POST /test-sessions/{session_id}/offer': async (ground) => ({
    ids: [(await ground.session('webrtc')).session_id],
    body: { sdp: SDP, type: 'offer' },
  }),
  'POST /agents/{agent_id}/test/websocket': async ({ tenant }) => ({ ids: [tenant.agentId] }),
  'GET /test-sessions/{session_id}/result': async (ground) => {
    const { session_id } = await ground.session('websocket');
    await ground.scene.report(
      session_id,
      { kind: 'media_started', carrier_call_id: session_id, stream_id: 'MZ0' },
      agentMessage(0, 'Hello.'),
      ended('agent_hangup', 1000),
    );
    const path = `/test-sessions/${session_id}/result`;
    await eventually(
      () => ground.statusOf(path),
      (status) => status === 200,
    );
    return { ids: [session_id] };
  },
};
