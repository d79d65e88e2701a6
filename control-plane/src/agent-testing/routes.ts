import { uuid } from '@voice/shared/contracts/primitives';
import { z } from 'zod';
import { apiError } from '../http/error-codes.js';
import { type Route, reply, route, told } from '../http/route.js';
import type { TestResults } from './results.js';
import {
  sdpOffer,
  testSessionPending,
  testSessionResult,
  textTestMessage,
  voiceTestRequest,
  webRtcSessionCreate,
  wsSessionCreate,
} from './schemas.js';
import type { TextSessions } from './text-sessions.js';
import type { VoiceSessions } from './voice-sessions.js';

const tag = 'Agent testing';
/** Seconds after which to ask again for a result that is not ready (specification, section 7). */
const RETRY_AFTER = '3';

export interface AgentTestingRoutesDeps {
  readonly text: TextSessions;
  readonly voice: VoiceSessions;
  readonly results: TestResults;
}

export function agentTestingRoutes({ text, voice, results }: AgentTestingRoutesDeps): Route[] {
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
        "`notice` tells what the agent must do without, such as an MCP server that is down. The agent's model, " +
        'prompt, HTTP tools, integrations and MCP servers are the real ones. A turn that ends in `error` has not ' +
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
        'test_session_not_found',
        'test_session_ended',
        'test_session_busy',
      ],
      handler: async ({ tenant, sandbox, params, body, resourceId, idempotencyKey }) => {
        const admitted = await text.admit(tenant, params.agent_id, body, {
          id: resourceId,
          sandbox,
          repeatable: idempotencyKey !== undefined,
        });
        return told(
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
      path: '/api/v1/agents/{agent_id}/test/websocket',
      operationId: 'testAgentByWebSocket',
      tag,
      summary: 'Talk to an agent over a WebSocket',
      description:
        'Reserves a place at a media worker. Connect to `stream_url?t=<token>` and send audio as binary ' +
        'frames: mu-law at 8 kHz, or 16-bit PCM with `&encoding=pcm16&sample_rate=8000|16000|24000|48000`. ' +
        'The answer comes in the same form; text frames are JSON: `started`, `mark` (send it back when the ' +
        'audio before it was played), `clear` (drop what was not played) and `ended`; you may send `mark`, ' +
        '`dtmf` and `stop`.',
      auth: 'tenant_in_mode',
      params: agentParams,
      body: voiceTestRequest,
      responses: { 201: { description: 'A place is kept until `expires_at`.', schema: wsSessionCreate } },
      errors: ['agent_not_found', 'agent_inactive', 'workers_at_capacity', 'pipeline_not_supported'],
      handler: async ({ tenant, sandbox, params, body, resourceId }) =>
        reply(
          201,
          await voice.createWebSocket(tenant, params.agent_id, {
            id: resourceId,
            sandbox,
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
      auth: 'tenant_in_mode',
      params: agentParams,
      body: voiceTestRequest,
      responses: { 201: { description: 'The session.', schema: webRtcSessionCreate } },
      errors: ['agent_not_found', 'agent_inactive', 'webrtc_not_available'],
      handler: async ({ tenant, params }) => {
        await voice.requireTestable(tenant, params.agent_id);
        throw apiError(
          'webrtc_not_available',
          'No media worker of this installation takes WebRTC sessions; test/websocket is the other way.',
        );
      },
    }),
    route({
      method: 'post',
      path: '/api/v1/test-sessions/{session_id}/offer',
      operationId: 'offerTestSession',
      tag,
      summary: "Send a WebRTC offer to the session's worker",
      auth: 'tenant',
      params: sessionParams,
      body: sdpOffer,
      responses: {
        200: { description: "The worker's answer, unchanged.", schema: z.record(z.string(), z.unknown()) },
      },
      errors: ['test_session_not_found', 'webrtc_not_available'],
      handler: async ({ tenant, params }) => {
        await voice.requireSession(tenant, params.session_id);
        throw apiError('webrtc_not_available', 'This session is not a WebRTC session.');
      },
    }),
    route({
      method: 'get',
      path: '/api/v1/test-sessions/{session_id}/result',
      operationId: 'getTestSessionResult',
      tag,
      summary: 'What a test session came to',
      description:
        'A text session is analysed up to its last turn; asking again after more turns analyses anew.',
      auth: 'tenant',
      params: sessionParams,
      responses: {
        200: { description: 'The result.', schema: testSessionResult },
        202: {
          description: 'Not yet: it goes on, or is being analysed. Ask again after `Retry-After` seconds.',
          schema: testSessionPending,
          headers: { 'Retry-After': 'Seconds.' },
        },
      },
      errors: ['test_session_not_found'],
      handler: async ({ tenant, params }) => {
        const outcome = await results.result(tenant, params.session_id);
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
