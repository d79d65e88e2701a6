import type { Clock } from '@voice/shared/clock/clock';
import { LIVE_CLOSE } from '@voice/shared/contracts/live-streams';
import type { Request } from 'express';
import { watchAdmission } from '../../platform/http/admission-watch.js';
import { type Principal, type Route, reply, route, streamed, upgraded } from '../../platform/http/route.js';
import { ValidationError } from '../../platform/http/validation.js';
import { streamCall } from './call-stream.js';
import type { LiveCalls } from './live-calls.js';
import type { LiveLinks } from './live-links.js';
import { callParams, listenQuery, liveLinkResponse, liveQuery } from './schemas.js';

const tag = 'Live calls';

export interface LiveRoutesOptions {
  readonly live: LiveCalls;
  readonly links: LiveLinks;
  readonly publicUrl: () => string;
  readonly clock: Clock;
}

const DESCRIPTION_LIVE =
  'Server-sent events, from the beginning of the call to its end; the stream then closes. The event name is the ' +
  '`type` of its JSON: `status` (`QUEUED` … `COMPLETED`), `state` (the agent is listening, thinking, speaking), ' +
  '`transcript` (what is being said on either side; a later text replaces it, `final` ends it), `turn` (the ' +
  "record's entry), `metrics` (the latency of a turn), `tool_call`, `tool_result`, `dtmf`, `notice`, `error` and " +
  '`ended`. Events with an `id` are durable: a client that comes back with `Last-Event-ID` misses none of them. ' +
  'A call that is over is replayed. Comments come every 15 seconds on a silent stream. Every replica serves every ' +
  'call. See docs/live-streams.md for each message.';

const DESCRIPTION_LISTEN =
  'A WebSocket, listen only. The first message is text, `{"type":"format","encoding":"l16","sample_rate":8000,' +
  '"channels":1}`; then binary messages of 16-bit linear PCM, little-endian, of some 40 ms each. It waits while ' +
  'the call rings and is closed with 1000 when the call is over, with 1013 when the client is slower than the ' +
  'call (connect again), with 1001 when the replica stops (connect again), with 1008 when the client sends ' +
  'anything or is signed out. Nothing of it is stored. See docs/live-streams.md.';

/** Following and listening to a tenant's calls while they go on. */
export function liveRoutes({ live, links, publicUrl, clock }: LiveRoutesOptions): Route[] {
  const linkPrincipal = (request: Request): Principal | null => {
    const { t } = request.query;
    if (t === undefined) return null;
    return links.principal(String(t), String(request.params.call_id));
  };
  return [
    route({
      method: 'post',
      path: '/api/v1/calls/{call_id}/live-link',
      operationId: 'createLiveLink',
      tag,
      summary: 'Get links to a live call for a browser',
      description:
        'Browsers cannot send an `Authorization` header with `EventSource` and `WebSocket`: give them these links ' +
        'instead of a key. They can be opened for 5 minutes and are good for this call alone, as long as the key or ' +
        'the session counts that asked for them.',
      auth: 'tenant_in_mode',
      params: callParams,
      responses: { 200: { description: 'The links.', schema: liveLinkResponse } },
      errors: ['call_not_found'],
      handler: async ({ scope, params, keyId }) => {
        await live.require(scope, params.call_id);
        const { token, expiresAt } = links.sign(scope, params.call_id, keyId);
        const base = `${publicUrl()}/api/v1/calls/${params.call_id}`;
        return reply(200, {
          live_url: `${base}/live?t=${token}`,
          listen_url: `${base.replace(/^http/, 'ws')}/listen?t=${token}`,
          expires_at: expiresAt.toISOString(),
        });
      },
    }),
    route({
      method: 'get',
      path: '/api/v1/calls/{call_id}/live',
      operationId: 'followCall',
      tag,
      summary: 'Follow a call as it happens',
      description: DESCRIPTION_LIVE,
      auth: 'tenant_in_mode',
      linkPrincipal,
      params: callParams,
      query: liveQuery,
      responses: { 200: { description: 'The events.', contentType: 'text/event-stream' } },
      errors: ['call_not_found', 'live_link_invalid', 'live_limit_reached', 'draining'],
      handler: async ({ scope, params, query, request, isStillAdmitted }) => {
        await live.require(scope, params.call_id);
        const afterSeq = lastEventId(request.get('last-event-id') || query.last_event_id);
        live.admitViewer(scope, params.call_id);
        return streamed(
          200,
          (response) =>
            streamCall(response, { live, scope, callId: params.call_id, afterSeq, clock, isStillAdmitted }),
          // A link needs no cookie, so a page of any origin may use it.
          query.t === undefined ? {} : { 'Access-Control-Allow-Origin': '*' },
        );
      },
    }),
    route({
      method: 'get',
      path: '/api/v1/calls/{call_id}/listen',
      operationId: 'listenToCall',
      tag,
      summary: 'Listen to a call as it happens',
      description: DESCRIPTION_LISTEN,
      auth: 'tenant_in_mode',
      linkPrincipal,
      params: callParams,
      query: listenQuery,
      responses: { 101: { description: 'The connection is a WebSocket now.' } },
      errors: [
        'call_not_found',
        'call_not_active',
        'live_link_invalid',
        'live_limit_reached',
        'upgrade_required',
        'draining',
      ],
      handler: async ({ scope, params, query, isStillAdmitted }) => {
        const call = await live.require(scope, params.call_id);
        live.admitListener(scope, call);
        return upgraded((socket) => {
          const onOver = () => socket.close(LIVE_CLOSE.signedOut, 'who listens is signed out');
          socket.once('close', watchAdmission({ clock, isStillAdmitted, onOver }));
          live.listen(scope, call._id, query.channels, socket);
        });
      },
    }),
  ];
}

/** Reads the number behind a `Last-Event-ID`; 422 for what no stream has given out. */
function lastEventId(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new ValidationError([
    { loc: ['header', 'Last-Event-ID'], msg: 'the id of an event', type: 'invalid_value' },
  ]);
}
