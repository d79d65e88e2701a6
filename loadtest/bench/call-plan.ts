import { randomUUID } from 'node:crypto';
import { type CallPlan, callPlan } from '@voice/shared/contracts/call-plan';
import { DELAYS } from './fixed-delays.js';

export interface Vendors {
  readonly deepgram: string;
  readonly openai: string;
  readonly elevenlabs: string;
}

/** A call through the emulated vendors, with turn-taking that waits a fixed time and never speculates. */
export function benchPlan(vendors: Vendors): CallPlan {
  const key = (url: string) => ({ api_key: 'bench', base_url: url });
  return callPlan.parse({
    call_id: randomUUID(),
    tenant_id: randomUUID(),
    direction: 'outbound',
    sandbox: true,
    from_number: '+15005550100',
    to_number: '+15005550006',
    agent: {
      id: randomUUID(),
      name: 'bench',
      pipeline_type: 'cascaded',
      system_prompt: 'You are a receptionist.',
      first_message: 'Hello, this is the clinic. How can I help you today?',
      language: 'en-US',
      voice_config: {
        stt: { provider: 'deepgram', model: 'nova-3' },
        llm: { provider: 'openai', model: 'bench' },
        tts: { provider: 'elevenlabs', model: 'eleven_flash_v2_5' },
      },
      tools: [],
      turn_taking: {
        preemptive_generation: false,
        min_endpointing_ms: DELAYS.endpointing,
        confident_endpointing_ms: DELAYS.endpointing,
        fillers: [],
      },
      max_duration_seconds: 7200,
      silence_timeout_seconds: 60,
      voicemail: { detect: false },
      recording: { enabled: true },
    },
    disclosure: null,
    carrier: { name: 'simulated', protocol: 'twilio' },
    credentials: {
      deepgram: key(vendors.deepgram),
      openai: key(vendors.openai),
      elevenlabs: key(vendors.elevenlabs),
    },
    stream_deadline_at: Date.now() + 60_000,
  });
}
