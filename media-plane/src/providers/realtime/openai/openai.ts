import { openAiRealtimeParams } from '@voice/shared/catalogue/params/openai-realtime';
import type { AddressPolicy } from '@voice/shared/egress/address-policy';
import { ProviderError } from '../../provider-error.js';
import type { RealtimeOptions, RealtimeProvider, RealtimeSession } from '../port.js';
import { OpenAiRealtimeSession } from './session.js';
import { DEFAULT_MODEL, resolveTarget } from './target.js';

export interface OpenAiRealtimeOptions {
  /** Where addresses that agents name may lead. */
  readonly egress: AddressPolicy;
}

/** Creates speech to speech by OpenAI's Realtime API, or a server that speaks it, over WebSocket. */
export function createOpenAiRealtime({ egress }: OpenAiRealtimeOptions): RealtimeProvider {
  return {
    name: 'openai',
    defaultModel: DEFAULT_MODEL,
    transcriptionModel({ params }) {
      const parsed = openAiRealtimeParams.safeParse(params);
      return parsed.success ? (parsed.data.transcription_model ?? undefined) : undefined;
    },
    open(options) {
      try {
        return new OpenAiRealtimeSession(options, resolveTarget(options, egress));
      } catch (error) {
        if (error instanceof ProviderError) return failedSession(options, error);
        throw error;
      }
    },
  };
}

/** Creates a session that reports its failure as every session does: by an event, after `open` has returned. */
function failedSession(options: RealtimeOptions, error: ProviderError): RealtimeSession {
  const report = options.clock.schedule(0, () => options.onEvent({ type: 'failed', error }));
  let lastResponse = 0;
  return {
    audioMs: 0,
    write() {},
    voiceActivity() {},
    commit() {},
    discard() {},
    respond: () => ++lastResponse,
    cancel() {},
    truncate() {},
    addNote() {},
    addItem() {},
    setTools() {},
    close: () => report.cancel(),
  };
}
