import { uuid } from '@voice/shared/contracts/primitives';
import { z } from 'zod';
import { eventStream, type Route, reply, route } from '../platform/http/route.js';
import type { TestResults } from './results.js';
import {
  sdpAnswer,
  sdpOffer,
  testSessionPending,
  testSessionResult,
  textTestMessage,
  toolTestRequest,
  toolTestResponse,
  voiceTestRequest,
  webRtcSessionCreate,
  wsSessionCreate,
} from './schemas.js';
import type { TextSessions } from './text-sessions.js';
import type { ToolTests } from './tool-tests.js';
import type { VoiceSessions } from './voice-sessions.js';
import type { WebRtcOffers } from './web-rtc-offers.js';

const tag = 'Agent testing';
/** Seconds after which to ask again for a result that is not ready (specification, section 7). */
const RETRY_AFTER = '3';

export interface AgentTestingRoutesOptions {
  readonly text: TextSessions;
  readonly tools: ToolTests;
  readonly voice: VoiceSessions;
  readonly offers: WebRtcOffers;
  readonly results: TestResults;
}

export function agentTestingRoutes({
  text,
  tools,
  voice,
  offers,
  results,
}: AgentTestingRoutesOptions): Route[] {
  const agentParams = z.object({ agent_id: uuid });
  const sessionParams = z.object({ session_id: uuid });
  return [
    route({
      method: 'post',
      path: '/api/v1/agents/{agent_id}/test/text',
      operationId: 'testAgentByText',
      tag,
      summary: 'Talk to an agent in text',
      description:
        'Answers as server-sent events: `session`, `message` (the opening of a new session), `delta` and ' +
        '`message` of the answer, `tool_call` and `tool_result`, `usage`, and at last `done` or `error`; ' +
        "`notice` names what the agent must do without, such as an MCP server that is down. The agent's model, " +
        'prompt, HTTP tools and MCP servers are the real ones, in production its integrations too; in production ' +
        'what the model is asked is charged. A turn that ends in `error` has not ' +
        'happened and can be sent again. A client that leaves breaks its turn off; with an Idempotency-Key ' +
        'the turn goes on instead, and the same request with the same key gets the whole stream later.',
      auth: 'tenant_in_mode',
      params: agentParams,
      body: textTestMessage,
      responses: {
        200: {
          description: 'The answer as it comes.',
          contentType: 'text/event-stream',
          headers: { 'X-Session-Id': 'The session, to continue it.' },
        },
      },
      errors: [
        'agent_not_found',
        'agent_inactive',
        'provider_unavailable',
        'credit_exhausted',
        'daily_cap_reached',
        'test_session_not_found',
        'test_session_ended',
        'test_session_busy',
      ],
      handler: async ({ scope, params, body, resourceId, idempotencyKey }) => {
        const admitted = await text.admit(scope, params.agent_id, body, {
          id: resourceId,
          repeatable: idempotencyKey !== undefined,
        });
        return eventStream(
          200,
          (sink, gone) =>
            admitted.run(({ event, data }) => {
              if (event === 'done' || event === 'error') sink.last(event, data);
              else sink.send(event, data);
            }, gone),
          { 'X-Session-Id': admitted.sessionId },
        );
      },
    }),
    route({
      method: 'post',
      path: '/api/v1/agents/{agent_id}/test/tool',
      operationId: 'testAgentTool',
      tag,
      summary: 'Try an HTTP tool out',
      description:
        'Sends one request as a call would, through the same guard against private networks, and waits for the ' +
        'answer for at most 30 seconds. The server really gets it, in the sandbox as well. An answer of any status, ' +
        'and none, is a 200 that says so.',
      auth: 'tenant',
      params: agentParams,
      body: toolTestRequest,
      responses: { 200: { description: 'What the server answered.', schema: toolTestResponse } },
      errors: ['agent_not_found'],
      handler: async ({ tenant, params, body }) => reply(200, await tools.run(tenant, params.agent_id, body)),
    }),
    route({
      method: 'post',
      path: '/api/v1/agents/{agent_id}/test/websocket',
      operationId: 'testAgentByWebSocket',
      tag,
      summary: 'Talk to an agent over a WebSocket',
      description:
        'Reserves a place at a media worker for 60 seconds. In production the session costs what a call without a ' +
        'carrier costs; in the sandbox nothing. Connect to `stream_url?t=<token>` and send the ' +
        "caller's audio as binary frames of 20 ms: mu-law at 8 kHz, or 16-bit little-endian PCM with " +
        "`&encoding=pcm16&sample_rate=8000|16000|24000|48000`. The agent's audio comes in the same form. Text " +
        'frames are JSON: `started`; `mark` (send it back when the audio before it was played); `clear` (drop ' +
        'what was not played, the caller interrupts); the events of the call as they happen: `state` (listening, ' +
        'thinking, speaking), `transcript` (both sides, interim and final), `turn`, `metrics` (the latency of ' +
        'each turn), `tool_call`, `tool_result`, `dtmf`, `notice`, `error`; and at last `ended`. You may send ' +
        '`mark`, `dtmf` (`{"type":"dtmf","digit":"5"}`) and `stop`. Anything else closes the connection with ' +
        '1008. See docs/websocket-sessions.md for each message, and examples/websocket-session.mjs for a client.',
      auth: 'tenant_in_mode',
      params: agentParams,
      body: voiceTestRequest,
      responses: { 201: { description: 'A place is kept until `expires_at`.', schema: wsSessionCreate } },
      errors: [
        'agent_not_found',
        'agent_inactive',
        'credit_exhausted',
        'daily_cap_reached',
        'provider_unavailable',
        'workers_at_capacity',
        'pipeline_not_supported',
      ],
      handler: async ({ scope, params, body, resourceId }) =>
        reply(
          201,
          await voice.createWebSocket(scope, params.agent_id, {
            id: resourceId,
            variables: body?.variables ?? {},
          }),
        ),
    }),
    route({
      method: 'post',
      path: '/api/v1/agents/{agent_id}/test/webrtc',
      operationId: 'testAgentByWebRtc',
      tag,
      summary: 'Talk to an agent over WebRTC',
      description:
        'Reserves a place at a media worker; it is charged as `testAgentByWebSocket` is. For cascaded and realtime agents alike. Make an RTCPeerConnection ' +
        'with `ice_servers`, add the microphone, and post its offer to `webrtc_url`; the answer is for ' +
        '`setRemoteDescription`. Audio is Opus both ways. While the workers are still being set up for WebRTC, ' +
        'the 503 says so, with `Retry-After`.',
      auth: 'tenant_in_mode',
      params: agentParams,
      body: voiceTestRequest,
      responses: {
        201: { description: 'A place is kept until `expires_at`.', schema: webRtcSessionCreate },
      },
      errors: [
        'agent_not_found',
        'agent_inactive',
        'credit_exhausted',
        'daily_cap_reached',
        'provider_unavailable',
        'workers_at_capacity',
        'webrtc_not_available',
        'pipeline_not_supported',
      ],
      handler: async ({ scope, params, body, resourceId }) =>
        reply(
          201,
          await voice.createWebRtc(scope, params.agent_id, {
            id: resourceId,
            variables: body?.variables ?? {},
          }),
        ),
    }),
    route({
      method: 'post',
      path: '/api/v1/test-sessions/{session_id}/offer',
      operationId: 'offerTestSession',
      tag,
      summary: "Send a WebRTC offer to the session's worker",
      description:
        'The first offer starts the call. Later ones with the `pc_id` of an answer renegotiate, for example to ' +
        'restart ICE; with `restart_pc` the connection is made anew and the conversation goes on. Once a session ' +
        'is over it takes no more offers: `test_session_ended`.',
      auth: 'tenant_in_mode',
      params: sessionParams,
      body: sdpOffer,
      responses: {
        200: { description: "The worker's answer, unchanged.", schema: sdpAnswer },
      },
      errors: [
        'test_session_not_found',
        'test_session_not_webrtc',
        'test_session_ended',
        'offer_conflict',
        'offer_unusable',
        'worker_unreachable',
        'webrtc_not_available',
        'worker_timeout',
      ],
      handler: async ({ scope, params, body }) =>
        reply(200, await offers.offer(scope, params.session_id, body)),
    }),
    route({
      method: 'get',
      path: '/api/v1/test-sessions/{session_id}/result',
      operationId: 'getTestSessionResult',
      tag,
      summary: 'What a test session came to',
      description:
        'A text session is analysed up to its last turn; asking again after more turns analyses anew.',
      auth: 'tenant_in_mode',
      params: sessionParams,
      responses: {
        200: { description: 'The result.', schema: testSessionResult },
        202: {
          description: 'Not yet: it goes on, or is being analysed. Ask again after `Retry-After` seconds.',
          schema: testSessionPending,
          headers: { 'Retry-After': 'Seconds.' },
        },
      },
      errors: ['test_session_not_found', 'storage_unavailable'],
      handler: async ({ scope, params }) => {
        const outcome = await results.result(scope, params.session_id);
        if (outcome.kind === 'ready') return reply(200, outcome.result);
        return reply(
          202,
          { session_id: params.session_id, status: outcome.status },
          { 'Retry-After': RETRY_AFTER },
        );
      },
    }),
  ];
}
