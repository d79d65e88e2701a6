import { newId } from '@voice/shared/ids/ids';
import { NOT_METERED, type UsageRow } from '../usage-model.js';

/** A production call's record that used and cost nothing, but for `fields`. */
export function usageRow(fields: Partial<UsageRow> = {}): UsageRow {
  return {
    _id: newId(),
    tenant_id: newId(),
    sandbox: false,
    ended_at: new Date(0),
    answered: true,
    duration_ms: 0,
    carrier_minutes: 0,
    stt_audio_ms: 0,
    llm_input_tokens: 0,
    llm_output_tokens: 0,
    tts_characters: 0,
    cost: { stt: 0, llm: 0, tts: 0, carrier: 0, service: 0 },
    total: 0,
    response_latencies_ms: [],
    ...NOT_METERED,
    ...fields,
  };
}
