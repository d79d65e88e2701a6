import { randomUUID } from 'node:crypto';
import type { VoiceConfig } from '@voice/shared/contracts/agent';
import { type CallPlan, callPlan } from '@voice/shared/contracts/call-plan';
import { DELAYS } from './fixed-delays.js';
import type { BenchPipeline, Subject } from './subject.js';
import type { Vendors } from './vendors.js';

/** Describes a call through the emulated vendors, with turn-taking that waits a fixed time. */
export function benchPlan({ line, pipeline, preemption = 'off' }: Subject, vendors: Vendors): CallPlan {
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
      pipeline_type: pipeline === 'cascaded' ? 'cascaded' : 'realtime',
      system_prompt: 'You are a receptionist.',
      first_message: 'Hello, this is the clinic. How can I help you today?',
      language: 'en-US',
      voice_config: voiceConfig(pipeline),
      tools: [],
      turn_taking: {
        preemptive_generation: preemption,
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
    carrier:
      line === 'webrtc' ? { name: 'webrtc', protocol: 'webrtc' } : { name: 'simulated', protocol: 'twilio' },
    credentials: vendors,
    stream_deadline_at: Date.now() + 60_000,
  });
}

function voiceConfig(pipeline: BenchPipeline): VoiceConfig {
  const choice = (provider: string, model = '') => ({ provider, model, params: {} });
  if (pipeline !== 'cascaded') return { realtime: choice(pipeline) };
  return {
    stt: choice('deepgram', 'nova-3'),
    llm: choice('openai', 'bench'),
    tts: choice('elevenlabs', 'eleven_flash_v2_5'),
  };
}
