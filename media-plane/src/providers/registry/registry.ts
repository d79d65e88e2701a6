import { type ProviderKind, type ProviderName, providerNames } from '@voice/shared/catalogue/providers';
import type { Clock } from '@voice/shared/clock/clock';
import type { AddressPolicy } from '@voice/shared/egress/address-policy';
import { type LocalModels, NO_LOCAL_MODELS } from '@voice/shared/local-models/local-models';
import { type LocalVoice, startLocalVoice } from '@voice/shared/local-voice/local-voice';
import type { Log } from '@voice/shared/log/log';
import { createAnthropicLanguageModel } from '../llm/anthropic/anthropic.js';
import { createLocalLanguageModel } from '../llm/local/local.js';
import { createOpenAiLanguageModel } from '../llm/openai/openai.js';
import type { LanguageModel } from '../llm/port.js';
import { ProviderError } from '../provider-error.js';
import { createGeminiLive } from '../realtime/gemini/gemini.js';
import { createOpenAiRealtime } from '../realtime/openai/openai.js';
import type { RealtimeProvider } from '../realtime/port.js';
import { createAssemblyAiSpeechToText } from '../stt/assemblyai/assemblyai.js';
import { createDeepgramSpeechToText } from '../stt/deepgram/deepgram.js';
import { createLocalSpeechToText } from '../stt/local/local.js';
import { RecogniserProcess } from '../stt/local/recogniser/recogniser-process.js';
import { createOpenAiSpeechToText } from '../stt/openai/openai.js';
import type { SpeechToText } from '../stt/port.js';
import { createCartesiaTextToSpeech } from '../tts/cartesia/cartesia.js';
import { createDeepgramTextToSpeech } from '../tts/deepgram/deepgram.js';
import { createElevenLabsTextToSpeech } from '../tts/elevenlabs/elevenlabs.js';
import { createLocalTextToSpeech } from '../tts/local/local.js';
import { createOpenAiTextToSpeech } from '../tts/openai/openai.js';
import type { TextToSpeech } from '../tts/port.js';

/** The process's providers by the names that agents give in `voice_config`. */
export interface Providers {
  /** Finds a provider. Each of these throws a `ProviderError` `…_bad_request` for a name that it does not know. */
  stt(name: string): SpeechToText;
  llm(name: string): LanguageModel;
  tts(name: string): TextToSpeech;
  realtime(name: string): RealtimeProvider;
  /** Frees what the adapters share between calls. */
  close(): Promise<void>;
}

export interface ProviderRegistry extends Providers {
  /** The names that a kind has adapters for. */
  names(kind: ProviderKind): string[];
}

/** One adapter for each of the catalogue's providers of a kind: neither fewer nor more can be compiled. */
type Adapters<Kind extends ProviderKind, Adapter> = { readonly [Name in ProviderName<Kind>]: Adapter };

export interface ProvidersOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Where addresses that agents name may lead. */
  readonly egress: AddressPolicy;
  /** The models of this machine; none by default. */
  readonly models?: LocalModels;
}

/** An adapter for every entry of the catalogue; a new one is one line here. */
export function createProviders({
  clock,
  log,
  egress,
  models = NO_LOCAL_MODELS,
}: ProvidersOptions): ProviderRegistry {
  const openAi = createOpenAiLanguageModel({ egress, clock });
  const local = localSpeech(clock, models);
  const { speechToText: stt } = models;
  const recogniser = stt && new RecogniserProcess(stt, clock);
  const localRecogniser = createLocalSpeechToText({ recogniser, language: stt?.language });
  const openAiSpeech = createOpenAiTextToSpeech({ egress, clock });
  const anthropic = createAnthropicLanguageModel({ egress, clock });
  const speechToText: Adapters<'stt', SpeechToText> = {
    deepgram: createDeepgramSpeechToText(),
    assemblyai: createAssemblyAiSpeechToText(),
    openai: createOpenAiSpeechToText({ egress }),
    local: localRecogniser,
  };
  const languageModels: Adapters<'llm', LanguageModel> = {
    openai: openAi,
    anthropic,
    local: createLocalLanguageModel({ clock }),
  };
  const textToSpeech: Adapters<'tts', TextToSpeech> = {
    elevenlabs: createElevenLabsTextToSpeech(),
    cartesia: createCartesiaTextToSpeech(),
    deepgram: createDeepgramTextToSpeech(),
    openai: openAiSpeech,
    local: local.textToSpeech,
  };
  const realtime: Adapters<'realtime', RealtimeProvider> = {
    openai: createOpenAiRealtime({ egress }),
    gemini: createGeminiLive({ egress }),
  };
  const adapters = { stt: speechToText, llm: languageModels, tts: textToSpeech, realtime };
  log.debug(
    Object.fromEntries(Object.entries(adapters).map(([kind, byName]) => [kind, Object.keys(byName)])),
    'providers',
  );
  return {
    stt: (name) => find('stt', speechToText, name),
    llm: (name) => find('llm', languageModels, name),
    tts: (name) => find('tts', textToSpeech, name),
    realtime: (name) => find('realtime', realtime, name),
    names: (kind) => Object.keys(adapters[kind]),
    async close() {
      local.close();
      recogniser?.close();
      await Promise.all([openAi.close(), anthropic.close(), openAiSpeech.close()]);
    },
  };
}

/** Voices are processes of their own: they start with the first call that wants one. */
function localSpeech(
  clock: Clock,
  { textToSpeech: model, spokenTexts: keepIn }: LocalModels,
): { textToSpeech: TextToSpeech; close(): void } {
  let localVoice: LocalVoice | undefined;
  const start = () => {
    localVoice ??= startLocalVoice({ clock, model, keepIn });
    return localVoice;
  };
  return {
    textToSpeech: {
      name: 'local',
      open: (options) => {
        const voice = start();
        // A failure shows when it is to speak.
        void voice.warm().catch(() => {});
        return createLocalTextToSpeech({ localVoice: voice }).open(options);
      },
    },
    close: () => localVoice?.close(),
  };
}

function find<P>(kind: ProviderKind, adapters: Readonly<Record<string, P>>, name: string): P {
  const adapter = Object.hasOwn(adapters, name) ? adapters[name] : undefined;
  if (adapter) return adapter;
  throw new ProviderError({
    provider: name,
    kind,
    code: 'bad_request',
    message: `no ${kind} provider is called '${name}'; there are: ${providerNames(kind).join(', ')}`,
    retryable: false,
  });
}
