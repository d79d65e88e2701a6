import { openAiSpeechParams } from '@voice/shared/catalogue/params/openai-speech';
import { type Clock, systemClock } from '@voice/shared/clock/clock';
import type { AddressPolicy } from '@voice/shared/egress/address-policy';
import { invalidParams } from '../../invalid-params.js';
import { ProviderError } from '../../provider-error.js';
import { failedVoice } from '../failed-voice.js';
import type { TextToSpeech, Voice, VoiceOptions } from '../port.js';
import { SpeechConnections } from './client.js';
import { PROVIDER } from './errors.js';
import { OpenAiVoice } from './voice.js';

const DEFAULT_MODEL = 'gpt-4o-mini-tts';

export interface OpenAiTextToSpeech extends TextToSpeech {
  /** Closes idle connections; for a clean end of the process. */
  close(): Promise<void>;
}

/** Creates text to speech by OpenAI's `/v1/audio/speech`, or by any server with the same API. */
export function createOpenAiTextToSpeech({
  egress,
  clock = systemClock,
}: {
  egress: AddressPolicy;
  clock?: Clock;
}): OpenAiTextToSpeech {
  const connections = new SpeechConnections(egress, clock);
  return {
    name: PROVIDER,
    defaultModel: DEFAULT_MODEL,
    open: (options) => open(options, connections),
    close: () => connections.close(),
  };
}

function open({ choice, credentials, format }: VoiceOptions, connections: SpeechConnections): Voice {
  const params = openAiSpeechParams.safeParse(choice.params);
  if (!params.success) return failedVoice(invalidParams('tts', PROVIDER, params.error));
  try {
    const { client, held } = connections.client(params.data, credentials);
    const model = choice.model === '' ? DEFAULT_MODEL : choice.model;
    return new OpenAiVoice({ client, held, model, params: params.data, format });
  } catch (error) {
    if (error instanceof ProviderError) return failedVoice(error);
    throw error;
  }
}
