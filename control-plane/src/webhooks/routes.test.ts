import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { asTenantId } from '@voice/shared/ids/ids';
import { describe, expect, it } from 'vitest';
import type { AnyContext, Route } from '../platform/http/route.js';
import { webhookRoutes } from './routes.js';

const BASE = '/api/v1/webhooks';
const scope = { tenant: asTenantId('a tenant'), sandbox: true };

/** A service each of whose methods returns how it was called. */
const echo = <Service>(name: string) =>
  new Proxy({} as object, {
    get:
      (_target, method) =>
      async (...args: unknown[]) => {
        calls.push([`${name}.${String(method)}`, ...args]);
        return `${name}.${String(method)}`;
      },
  }) as Service;
const calls: unknown[][] = [];
const routes = webhookRoutes({
  subscriptions: echo('subscriptions'),
  deliveries: echo('deliveries'),
  events: echo('events'),
  listeners: echo('listeners'),
  clock: new ScriptedClock(),
});
const routeOf = (operationId: string): Route => {
  const found = routes.find((route) => route.operationId === operationId);
  if (!found) throw new Error(`no ${operationId}`);
  return found;
};

describe('the routes of webhooks', () => {
  it('are these, by the names that generated clients call', () => {
    const declared = routes.map(({ operationId, method, path, auth, tag, errors = [] }) =>
      [operationId, method, path.replace(BASE, '…'), auth, tag, ...errors].join(' '),
    );
    expect(declared).toEqual([
      'listEventTypes get …/event-types none Webhooks',
      'listEvents get /api/v1/events tenant_in_mode Webhooks invalid_cursor',
      'getWebhookConfig get …/config tenant_in_mode Webhooks',
      'setWebhookConfig put …/config tenant_in_mode Webhooks',
      'deleteWebhookConfig delete …/config tenant_in_mode Webhooks',
      'listenToWebhooks get …/listen tenant_in_mode Webhooks webhook_not_found live_limit_reached upgrade_required draining',
      'listWebhooks get … tenant_in_mode Webhooks',
      'createWebhook post … tenant_in_mode Webhooks webhook_limit_reached live_mode_required',
      'getWebhook get …/{webhook_id} tenant_in_mode Webhooks webhook_not_found',
      'updateWebhook patch …/{webhook_id} tenant_in_mode Webhooks webhook_not_found',
      'deleteWebhook delete …/{webhook_id} tenant_in_mode Webhooks webhook_not_found',
      'listWebhookDeliveries get …/{webhook_id}/deliveries tenant_in_mode Webhooks webhook_not_found',
      'getWebhookDelivery get …/deliveries/{delivery_id}/detail tenant_in_mode Webhooks delivery_not_found',
      'replayWebhookDelivery post …/deliveries/{delivery_id}/replay tenant_in_mode Webhooks delivery_not_found',
      'testWebhook post …/{webhook_id}/test tenant_in_mode Webhooks webhook_not_found',
    ]);
  });

  const wanted = { url: 'https://receiver.example/', event_types: ['*'], description: '' };
  it.each<[string, object, number, ...unknown[]]>([
    ['listEvents', { query: { limit: 7 } }, 200, 'events.list', scope, { limit: 7 }],
    ['getWebhookConfig', {}, 200, 'subscriptions.config', scope],
    ['setWebhookConfig', { body: { url: 'u' } }, 200, 'subscriptions.setConfig', scope, 'u'],
    ['deleteWebhookConfig', {}, 204, 'subscriptions.deleteConfig', scope],
    ['listWebhooks', {}, 200, 'subscriptions.list', scope],
    ['createWebhook', { body: wanted }, 201, 'subscriptions.create', scope, 'new', wanted],
    ['getWebhook', {}, 200, 'subscriptions.get', scope, 'w'],
    ['updateWebhook', { body: { url: 'u' } }, 200, 'subscriptions.update', scope, 'w', { url: 'u' }],
    ['deleteWebhook', {}, 204, 'subscriptions.delete', scope, 'w'],
    ['listWebhookDeliveries', { query: { limit: 7 } }, 200, 'deliveries.list', scope, 'w', 7],
    ['getWebhookDelivery', {}, 200, 'deliveries.get', scope, 'd'],
    ['replayWebhookDelivery', {}, 202, 'deliveries.replay', scope, 'd', 'new'],
    [
      'testWebhook',
      { body: { event_type: 't' } },
      202,
      'deliveries.test',
      scope,
      'w',
      'new',
      { event_type: 't' },
    ],
  ])('%s asks its service and replies with what that returns', async (id, asked, status, ...call) => {
    calls.length = 0;
    const params = { webhook_id: 'w', delivery_id: 'd' };
    const context = { scope, params, resourceId: 'new', ...asked } as unknown as AnyContext;
    const answer = await routeOf(id).handler(context);
    expect(calls).toEqual([call]);
    expect(answer).toMatchObject(status === 204 ? { status } : { status, body: call[0] });
    expect(Object.keys(routeOf(id).responses)).toEqual([String(status)]);
  });

  it('createWebhook makes a subscription of the sandbox for production, and not the reverse', async () => {
    calls.length = 0;
    const live = { ...scope, sandbox: false };
    const create = (from: object, sandbox: boolean) =>
      routeOf('createWebhook').handler({
        scope: from,
        body: { sandbox, ...wanted },
      } as unknown as AnyContext);
    await create(live, true);
    expect(calls).toEqual([['subscriptions.create', scope, undefined, wanted]]);
    await expect(create(scope, false)).rejects.toMatchObject({ code: 'live_mode_required' });
  });

  it('listEventTypes asks nobody', async () => {
    const { status, body } = await routeOf('listEventTypes').handler({} as AnyContext);
    expect([status, Object.keys(body as object)]).toEqual([200, ['event_types']]);
  });

  // @rule 8.9
  it('listWebhookDeliveries takes a limit of 1 to 500, 50 by default', () => {
    const query = routeOf('listWebhookDeliveries').query!;
    expect(query.parse({})).toEqual({ limit: 50 });
    for (const limit of [1, 500]) expect(query.parse({ limit: String(limit) })).toEqual({ limit });
    for (const limit of ['0', '501']) expect(query.safeParse({ limit }).success).toBe(false);
  });
});
