import type { Clock } from '@voice/shared/clock/clock';
import type { AddressPolicy } from '@voice/shared/egress/address-policy';
import { type LocalModels, NO_LOCAL_MODELS } from '@voice/shared/local-models/local-models';
import { type LocalVoice, startLocalVoice } from '@voice/shared/local-voice/local-voice';
import type { Log } from '@voice/shared/log/log';
import { createLocalLanguageModel } from '../llm/local/local.js';
import { createOpenAiLanguageModel } from '../llm/openai/openai.js';
import type { LanguageModel } from '../llm/port.js';
import { ProviderError, type ProviderKind } from '../provider-error.js';
import { createGeminiLive } from '../realtime/gemini/gemini.js';
import { createOpenAiRealtime } from '../realtime/openai/openai.js';
import type { RealtimeProvider } from '../realtime/port.js';
import { createDeepgramSpeechToText } from '../stt/deepgram/deepgram.js';
import { createLocalSpeechToText } from '../stt/local/local.js';
import { RecogniserProcess } from '../stt/local/recogniser/recogniser-process.js';
import type { SpeechToText } from '../stt/port.js';
import { createElevenLabsTextToSpeech } from '../tts/elevenlabs/elevenlabs.js';
import { createLocalTextToSpeech } from '../tts/local/local.js';
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

export interface ProvidersOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Where addresses that agents name may lead. */
  readonly egress: AddressPolicy;
  /** The models of this machine; none by default. */
  readonly models?: LocalModels;
}

/** Creates every provider there is; a new one is one line here. */
export function createProviders({
  clock,
  log,
  egress,
  models = NO_LOCAL_MODELS,
}: ProvidersOptions): Providers {
  const openAi = createOpenAiLanguageModel({ egress });
  const local = localSpeech(clock, models.textToSpeech);
  const { speechToText: stt } = models;
  const recogniser = stt && new RecogniserProcess(stt, clock);
  const localEars = createLocalSpeechToText({ recogniser, language: stt?.language });
  const speechToText = byName([createDeepgramSpeechToText(), localEars]);
  const languageModels = byName<LanguageModel>([openAi, createLocalLanguageModel({ clock })]);
  const textToSpeech = byName([createElevenLabsTextToSpeech(), local.textToSpeech]);
  const realtime = byName<RealtimeProvider>([createOpenAiRealtime({ egress }), createGeminiLive({ egress })]);
  log.debug(
    { stt: [...speechToText.keys()], llm: [...languageModels.keys()], tts: [...textToSpeech.keys()] },
    'providers',
  );
  return {
    stt: (name) => find('stt', speechToText, name),
    llm: (name) => find('llm', languageModels, name),
    tts: (name) => find('tts', textToSpeech, name),
    realtime: (name) => find('realtime', realtime, name),
    async close() {
      local.close();
      recogniser?.close();
      await openAi.close();
    },
  };
}

/** Voices are processes of their own: they start with the first call that wants one. */
function localSpeech(
  clock: Clock,
  model: LocalModels['textToSpeech'],
): { textToSpeech: TextToSpeech; close(): void } {
  let localVoice: LocalVoice | undefined;
  const start = () => {
    localVoice ??= startLocalVoice({ clock, model });
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
