import type { CallEventBody } from '@voice/shared/contracts/call-events';
import type { CallPlan } from '@voice/shared/contracts/call-plan';

/** Builds the last event of a call whose media stream did not come. */
export function missingStream(plan: CallPlan): CallEventBody {
  const { voice_config: voice } = plan.agent;
  const none = { provider: '', model: '' };
  const { stt = none, llm = none, tts = none } = 'stt' in voice ? voice : {};
  return {
    kind: 'ended',
    end_reason: 'carrier_failed',
    duration_ms: 0,
    error_code: 'media_stream_missing',
    error_message: 'The carrier did not open the media stream in time.',
    usage: {
      stt: { provider: stt.provider, model: stt.model, audio_ms: 0 },
      llm: { provider: llm.provider, model: llm.model, input_tokens: 0, output_tokens: 0 },
      tts: { provider: tts.provider, model: tts.model, characters: 0 },
    },
    has_recording: false,
  };
}
