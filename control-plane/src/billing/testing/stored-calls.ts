import { agentSnapshot, type VoiceConfig } from '@voice/shared/contracts/agent';
import { newId, newTenantId } from '@voice/shared/ids/ids';
import { freezeAgent } from '../../calls/record/frozen-agent.js';
import type { CallDocument } from '../../calls/record/model.js';
import type { SecretBox } from '../../platform/secrets/secret-box.js';

const local = { provider: 'local', model: '', params: {} };
const LOCAL_VOICE: VoiceConfig = { stt: local, llm: local, tts: local };

/** A production call that was held and has ended, as far as billing reads it. */
export function endedCall(
  secrets: SecretBox,
  fields: Partial<CallDocument> = {},
  voice: VoiceConfig = LOCAL_VOICE,
): CallDocument {
  const key = { _id: newId(), tenant_id: newTenantId(), ...fields };
  const agent = agentSnapshot.parse({
    id: newId(),
    name: 'Ann',
    pipeline_type: 'realtime' in voice ? 'realtime' : 'cascaded',
    system_prompt: '',
    first_message: '',
    language: 'en-US',
    voice_config: voice,
    tools: [],
    turn_taking: {},
    max_duration_seconds: 600,
    silence_timeout_seconds: 10,
    voicemail: {},
    recording: {},
  });
  return {
    sandbox: false,
    status: 'COMPLETED',
    direction: 'outbound',
    carrier: 'twilio',
    to_number: '+12025550123',
    started_at: new Date(0),
    media_started_at: new Date(0),
    ended_at: new Date(0),
    updated_at: new Date(0),
    duration_ms: 0,
    end_reason: 'agent_hangup',
    ...key,
    agent_snapshot: freezeAgent(secrets, key, agent),
  } as CallDocument;
}
