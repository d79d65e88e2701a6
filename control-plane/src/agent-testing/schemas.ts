import { toolExecution, transcriptTurn } from '@voice/shared/contracts/call-events';
import { uuid } from '@voice/shared/contracts/primitives';
import { z } from 'zod';
import { callAnalysis } from '../post-call/analysis-presenter.js';
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
  .object({ session_id: uuid, webrtc_url: z.string() })
  .meta({ id: 'WebRTCSessionCreate' });

export const sdpOffer = z
  .strictObject({
    sdp: z.string().min(1).max(200_000),
    type: z.string().min(1).max(20),
    pc_id: z.string().max(200).optional(),
    restart_pc: z.boolean().optional(),
    ice_servers: z.array(z.unknown()).max(20).optional().describe('Filled in when absent.'),
  })
  .meta({ id: 'SdpOffer' });

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
