import { newId, newTenantId } from '@voice/shared/ids/ids';
import { describe, expect, it } from 'vitest';
import { apiError } from '../../platform/http/error-codes.js';
import { callRoute, namesOf } from '../../testing/call-route.js';
import { callDeliveryRoutes } from './routes.js';

const scope = { tenant: newTenantId(), sandbox: true };
const [callId, nobodys] = [newId(), newId()];
const PAGE = { deliveries: [], has_more: false, next_cursor: null };
const asked: unknown[][] = [];
const routes = callDeliveryRoutes({
  requireCall: async (...call) => {
    if (call[0] !== scope || call[1] !== callId) throw apiError('call_not_found');
  },
  deliveriesOfCall: async (...question) => {
    asked.push(question);
    return PAGE;
  },
});
const ask = (call_id: string, query: Record<string, string> = {}) =>
  callRoute(routes, 'listCallDeliveries', { scope, params: { call_id }, query });

describe('GET /calls/{call_id}/deliveries', () => {
  it('is a list of one mode', () => {
    expect(namesOf(routes)).toEqual([
      'get /api/v1/calls/{call_id}/deliveries listCallDeliveries (Calls, tenant_in_mode) call_not_found invalid_cursor',
    ]);
  });

  it('answers what webhooks list of the call, 50 at a time by default and 500 at most', async () => {
    asked.length = 0;
    expect(await ask(callId)).toMatchObject({ status: 200, body: PAGE });
    await ask(callId, { limit: '500', cursor: 'next' });
    expect(asked).toEqual([
      [scope, callId, { limit: 50 }],
      [scope, callId, { limit: 500, cursor: 'next' }],
    ]);
    for (const limit of ['0', '501']) await expect(ask(callId, { limit })).rejects.toThrow();
  });

  it('refuses a call that is not there, and lists nothing', async () => {
    asked.length = 0;
    await expect(ask(nobodys)).rejects.toMatchObject({ code: 'call_not_found' });
    expect(asked).toEqual([]);
  });
});
