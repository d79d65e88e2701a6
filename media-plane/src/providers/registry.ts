import type { Clock } from '@voice/shared/clock/clock';
import type { AddressPolicy } from '@voice/shared/egress/address-policy';
import { type LocalVoice, startLocalVoice } from '@voice/shared/local-voice/local-voice';
import type { Log } from '@voice/shared/log/log';
import { createLocalLanguageModel } from './llm/local/local.js';
import { createOpenAiLanguageModel } from './llm/openai/openai.js';
import type { LanguageModel } from './llm/port.js';
import { ProviderError, type ProviderKind } from './provider-error.js';
import { createDeepgramSpeechToText } from './stt/deepgram/deepgram.js';
import { createLocalSpeechToText } from './stt/local/local.js';
import type { SpeechToText } from './stt/port.js';
import { createElevenLabsTextToSpeech } from './tts/elevenlabs/elevenlabs.js';
import { createLocalTextToSpeech } from './tts/local/local.js';
import type { TextToSpeech } from './tts/port.js';

/** The process's providers by the names that agents give in `voice_config`. */
export interface Providers {
  /** Each throws a `ProviderError` `…_bad_request` for a name that it does not know. */
  stt(name: string): SpeechToText;
  llm(name: string): LanguageModel;
  tts(name: string): TextToSpeech;
  /** Frees what the adapters share between calls. */
  close(): Promise<void>;
}

export interface ProvidersOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Where addresses that agents name may lead. */
  readonly egress: AddressPolicy;
}

/** Every provider there is; a new one is one line here. */
export function createProviders({ clock, log, egress }: ProvidersOptions): Providers {
  const openAi = createOpenAiLanguageModel({ egress });
  const local = localSpeech(clock);
  const speechToText = byName([createDeepgramSpeechToText(), createLocalSpeechToText()]);
  const languageModels = byName<LanguageModel>([openAi, createLocalLanguageModel({ clock })]);
  const textToSpeech = byName([createElevenLabsTextToSpeech(), local.textToSpeech]);
  log.debug(
    { stt: [...speechToText.keys()], llm: [...languageModels.keys()], tts: [...textToSpeech.keys()] },
    'providers',
  );
  return {
    stt: (name) => find('stt', speechToText, name),
    llm: (name) => find('llm', languageModels, name),
    tts: (name) => find('tts', textToSpeech, name),
    async close() {
      local.close();
      await openAi.close();
    },
  };
}

/** espeak-ng is a process of its own: it starts with the first call that wants it. */
function localSpeech(clock: Clock): { textToSpeech: TextToSpeech; close(): void } {
  let localVoice: LocalVoice | undefined;
  const start = () => {
    localVoice ??= startLocalVoice({ clock });
    return localVoice;
  };
  return {
    textToSpeech: {
      name: 'local',
      open: (options) => createLocalTextToSpeech({ localVoice: start() }).open(options),
      warm: start,
    },
    close: () => localVoice?.close(),
  };
}

function byName<P extends { readonly name: string }>(providers: readonly P[]): ReadonlyMap<string, P> {
  return new Map(providers.map((provider) => [provider.name, provider]));
}

function find<P>(kind: ProviderKind, providers: ReadonlyMap<string, P>, name: string): P {
  const provider = providers.get(name);
  if (provider) return provider;
  throw new ProviderError({
    provider: name,
    kind,
    code: 'bad_request',
    message: `no ${kind} provider is called '${name}'; there are: ${[...providers.keys()].join(', ')}`,
    retryable: false,
  });
}
