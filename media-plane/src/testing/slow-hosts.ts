import { PCMU_8K } from '@voice/shared/audio/format';
import type { Clock } from '@voice/shared/clock/clock';
import type { LanguageModel, LlmEvent } from '../providers/llm/port.js';
import { createPreparation } from '../providers/preparation.js';
import { ProviderError, type ProviderKind } from '../providers/provider-error.js';
import type { Providers } from '../providers/registry/registry.js';
import type { SpeechToText, SttEvent } from '../providers/stt/port.js';
import type { SpeechChunk, TextToSpeech } from '../providers/tts/port.js';

/** How long a host takes to be connected, in ms. */
export const CONNECT_MS = 500;
/** Bytes of audio a character: 50 ms. */
const BYTES_PER_CHARACTER = 50 * (PCMU_8K.sampleRate / 1000);

/** Providers whose hosts take long to connect, and which then answer at once. Nothing is shared between calls. */
export class SlowHosts implements Providers {
  /** What is held open now, by kind. */
  readonly open = { stt: 0, llm: 0, tts: 0 };
  readonly spoken: string[] = [];
  /** Kinds that cannot be reached. */
  readonly down = new Set<ProviderKind>();
  #transcribe: (event: SttEvent) => void = () => {};
  #modelConnectedAt = Number.POSITIVE_INFINITY;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  stt(): SpeechToText {
    return {
      name: 'deepgram',
      open: ({ onEvent, onSign }) => {
        this.open.stt += 1;
        this.#transcribe = onEvent;
        const connecting = this.#clock.schedule(CONNECT_MS, () => {
          if (this.down.has('stt')) onEvent({ type: 'failed', error: unavailable('deepgram', 'stt') });
          else onSign?.('connected');
        });
        let isOpen = true;
        return {
          audioMs: 0,
          write: () => {},
          voiceActivity: () => {},
          finalize: () => {},
          close: () => {
            connecting.cancel();
            if (isOpen) this.open.stt -= 1;
            isOpen = false;
          },
        };
      },
    };
  }

  llm(): LanguageModel {
    const clock = this.#clock;
    const hosts = this;
    return {
      name: 'openai',
      prepare: () => {
        this.open.llm += 1;
        const isDown = this.down.has('llm');
        if (!isDown) {
          this.#modelConnectedAt = Math.min(this.#modelConnectedAt, clock.monotonic() + CONNECT_MS);
        }
        const ready = isDown ? Promise.reject(unavailable('openai', 'llm')) : clock.sleep(CONNECT_MS);
        return createPreparation(ready, () => {
          this.open.llm -= 1;
        });
      },
      async *generate(_request, signal): AsyncGenerator<LlmEvent> {
        const connectedAt = Math.min(hosts.#modelConnectedAt, clock.monotonic() + CONNECT_MS);
        const left = connectedAt - clock.monotonic();
        if (left > 0) await clock.sleep(left, signal);
        yield { type: 'text', delta: 'We are open until six.' };
      },
    };
  }

  tts(): TextToSpeech {
    return {
      name: 'elevenlabs',
      open: () => {
        const clock = this.#clock;
        const { spoken, down } = this;
        const connectedAt = clock.monotonic() + CONNECT_MS;
        let characters = 0;
        let isOpen = true;
        this.open.tts += 1;
        return {
          get characters() {
            return characters;
          },
          async *speak(sentences, signal): AsyncGenerator<SpeechChunk> {
            for await (const sentence of sentences) {
              const left = connectedAt - clock.monotonic();
              if (left > 0) await clock.sleep(left, signal);
              if (signal.aborted) return;
              if (down.has('tts')) throw unavailable('elevenlabs', 'tts');
              spoken.push(sentence);
              characters += sentence.length;
              yield { audio: new Uint8Array(sentence.length * BYTES_PER_CHARACTER).fill(1) };
            }
          },
          close: () => {
            if (isOpen) this.open.tts -= 1;
            isOpen = false;
          },
        };
      },
    };
  }

  realtime(): never {
    throw new Error('there is none');
  }

  async close(): Promise<void> {}

  /** Lets the newest recogniser session report what the caller said. */
  transcribes(text: string): void {
    this.#transcribe({ type: 'transcript', text, final: true, confidence: 0.9, startMs: 0, endMs: 500 });
  }
}

function unavailable(provider: string, kind: ProviderKind): ProviderError {
  return new ProviderError({ provider, kind, code: 'unavailable', message: 'down', retryable: true });
}
