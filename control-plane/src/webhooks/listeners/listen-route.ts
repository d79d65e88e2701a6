import type { Clock } from '@voice/shared/clock/clock';
import { uuid } from '@voice/shared/contracts/primitives';
import { z } from 'zod';
import { watchAdmission } from '../../platform/http/admission-watch.js';
import { type Route, route, upgraded } from '../../platform/http/route.js';
import { eventTypes } from '../schemas.js';
import { LISTENER_CLOSE } from './listener-messages.js';
import type { Listeners } from './listeners.js';

const DESCRIPTION =
  'A WebSocket for development, which stands for a URL that the service cannot reach: `voice webhooks listen` ' +
  'forwards what comes to localhost. The first message is `{"type":"ready","listener_id":…,"secret":…}`; each event ' +
  'is `{"type":"delivery","id":…,"event_id":…,"event_type":…,"headers":{…},"body":"…"}`, with the very headers and ' +
  'body that a URL is sent, signed with that secret. Answer each within 15 seconds with ' +
  '`{"type":"result","id":…,"status":200}`, or `"error"` in place of `status`; the events of one call come one after ' +
  'another. Nothing is tried again and no delivery is kept. A connection that breaks is opened anew with ' +
  '`listener_id` within 30 seconds: secret and events that wait are the same. Closed with 1000 by you, it is over; ' +
  'with 1001 and 1011 connect again; with 1008 another connection has taken its place, your key is deleted or you ' +
  'are signed out, or you have sent something else; with 1013 more than 1,000 events waited for you, and were dropped. See docs/webhooks.md.';

const query = z.object({
  event_types: z
    .string()
    .max(1000)
    .default('*')
    .transform((list) => list.split(','))
    .pipe(eventTypes)
    .describe('Event types, separated by commas. By default all.'),
  listener_id: uuid.optional().describe('The listener of a connection that broke, which goes on.'),
});

/** Serves events over a WebSocket in place of a URL, as long as who listens would be let in. */
export function listenRoute(
  listeners: Pick<Listeners, 'admit' | 'accept'>,
  clock: Pick<Clock, 'schedule'>,
): Route {
  return route({
    method: 'get',
    path: '/api/v1/webhooks/listen',
    operationId: 'listenToWebhooks',
    tag: 'Webhooks',
    summary: 'Receive events over a WebSocket',
    description: DESCRIPTION,
    auth: 'tenant_in_mode',
    query,
    responses: { 101: { description: 'The connection is a WebSocket now.' } },
    errors: ['webhook_not_found', 'live_limit_reached', 'upgrade_required', 'draining'],
    handler: async ({ scope, query, isStillAdmitted }) => {
      const known = await listeners.admit(scope, query.listener_id);
      return upgraded((socket) => {
        const onOver = () => socket.close(LISTENER_CLOSE.refused, 'who listens is signed out');
        socket.once('close', watchAdmission({ clock, isStillAdmitted, onOver }));
        listeners.accept(scope, known, query.event_types, socket);
      });
    },
  });
}
