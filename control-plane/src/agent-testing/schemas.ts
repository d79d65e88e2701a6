import { toolExecution, transcriptTurn } from '@voice/shared/contracts/call-events';
import { uuid } from '@voice/shared/contracts/primitives';
import { iceServer, webRtcAnswer, webRtcOffer } from '@voice/shared/contracts/webrtc';
import { z } from 'zod';
import { configuredHttpTool } from '../agents/tool-schemas.js';
import { callAnalysis } from '../calls/record/analysis-presenter.js';
import { TEST_SESSION_KINDS } from './session-model.js';

const variableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'letters, digits and underscores');
const variables = z
  .record(variableName, z.union([z.string().max(4000), z.number(), z.boolean()]))
  .default({})
  .describe('Rendered into prompt and first message as `{{name}}`, when the session begins.');

export const textTestMessage = z
  .strictObject({
    message: z.string().trim().min(1).max(8000).describe('What the caller says.'),
    session_id: uuid.optional().describe('Continues this session; without it a new one begins.'),
    variables,
  })
  .meta({ id: 'TextTestMessage' });
export type TextTestMessage = z.output<typeof textTestMessage>;

export const voiceTestRequest = z.strictObject({ variables }).meta({ id: 'VoiceTestRequest' }).optional();

export const wsSessionCreate = z
  .object({
    session_id: uuid,
    stream_url: z.string().describe('WebSocket; connect with `?t=<token>`.'),
    token: z.string().describe('Signed; good for one connection until `expires_at`.'),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: 'WsSessionCreate' });
export type WsSessionCreate = z.output<typeof wsSessionCreate>;

export const webRtcSessionCreate = z
  .object({
    session_id: uuid,
    webrtc_url: z.url().describe('Where the offer is to be posted, with the same credential.'),
    expires_at: z.iso.datetime().describe('Until then the place is kept for the first offer.'),
    ice_servers: z
      .array(iceServer)
      .describe(
        'For the `iceServers` of your RTCPeerConnection: STUN and TURN servers of this installation.',
      ),
  })
  .meta({ id: 'WebRTCSessionCreate' });
export type WebRtcSessionCreate = z.output<typeof webRtcSessionCreate>;

const { sdp, type, pc_id, restart_pc, ice_servers } = webRtcOffer.shape;

export const sdpOffer = z
  .strictObject({
    sdp: sdp.describe('A session description (RFC 8866) with one audio section that offers Opus.'),
    type: type.describe('Only offers are taken.'),
    pc_id: pc_id.describe(
      'Of an earlier answer: renegotiates that connection, for example to restart ICE. Left out: a new one.',
    ),
    restart_pc: restart_pc.describe('The connection is made anew, and the conversation goes on.'),
    ice_servers: ice_servers.describe("The installation's own when absent."),
  })
  .meta({ id: 'SdpOffer' });

/** Of the worker, given on unchanged. */
export const sdpAnswer = z.looseObject({
  sdp: webRtcAnswer.shape.sdp,
  type: webRtcAnswer.shape.type,
  pc_id: webRtcAnswer.shape.pc_id.describe('Names the connection in later offers.'),
});
export type SdpAnswer = z.output<typeof sdpAnswer>;

export const testSessionResult = z
  .object({
    session_id: uuid,
    agent_id: uuid,
    kind: z.enum(TEST_SESSION_KINDS),
    call_id: uuid.nullable().describe('Of a voice session: its test call.'),
    ended: z.boolean(),
    turns: z.number().int().describe('How often the caller spoke.'),
    transcript: z.array(transcriptTurn),
    tool_executions: z.array(toolExecution),
    analysis: callAnalysis.nullable(),
    recording_url: z.url().nullable(),
    created_at: z.iso.datetime(),
    ended_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'TestSessionResult' });
export type TestSessionResult = z.output<typeof testSessionResult>;

export const testSessionPending = z
  .object({ session_id: uuid, status: z.enum(['in_progress', 'analyzing']) })
  .meta({ id: 'TestSessionPending' });

export const toolTestRequest = z
  .strictObject({
    tool: configuredHttpTool.describe(
      "The tool, as in the agent's `tools`; it need not be saved. Secrets that are left out are those of the agent's " +
        "own tool of this name, its secret headers only where the URL's origin is the same.",
    ),
    arguments: z
      .record(z.string(), z.unknown())
      .default({})
      .describe('As a model would give them; held against `parameters` first.'),
  })
  .meta({ id: 'ToolTestRequest' });
export type ToolTestRequest = z.output<typeof toolTestRequest>;

export const toolTestResponse = z
  .object({
    status: z
      .int()
      .nullable()
      .describe('The HTTP status; null where no answer came. On a call, 2xx is a success.'),
    duration_ms: z.int().nonnegative(),
    content_type: z
      .string()
      .nullable()
      .describe('As the server names it; null where it names none.')
      .meta({ examples: ['application/json'] }),
    body: z
      .string()
      .describe('The first 16 KiB as UTF-8: what a model reads of it.')
      .meta({ examples: ['{"count":7}'] }),
    body_bytes: z.int().nonnegative().describe('Of the whole body.'),
    truncated: z.boolean().describe('Whether `body` is only the beginning.'),
    error: z
      .object({ code: z.string(), message: z.string() })
      .nullable()
      .describe(
        'Why no answer came: `egress_address_refused` (a private network), `egress_timed_out`, ' +
          '`egress_response_too_large` (1 MiB) or `egress_failed`.',
      ),
  })
  .meta({ id: 'ToolTestResponse' });
export type ToolTestResponse = z.output<typeof toolTestResponse>;
