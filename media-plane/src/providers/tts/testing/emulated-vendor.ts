import type { AudioFormat } from '@voice/shared/audio/format';
import type { SpeechFaults } from '../../../../../loadtest/emulators/serving/speech-faults.js';
import type { SpeechChunk, TextToSpeech, Voice } from '../port.js';
import type { TextToSpeechHarness } from './contract.js';

/** How fast an emulator speaks for `createVendorHarness`. */
export const VENDOR_PACE = { firstAudioDelayMs: 5, speed: 100, chunkMs: 200 };

interface EmulatedVendor {
  readonly provider: string;
  readonly tts: TextToSpeech;
  readonly format: AudioFormat;
  readonly emulator: {
    readonly url: string;
    readonly faults: { refuseNext: number };
    dropConnections(): void;
    close(): Promise<void>;
  };
  readonly speechFaults: SpeechFaults;
  readonly openConnections: () => number;
}

/** Lets the contract test an adapter with a socket against its emulated vendor, which takes the key `good`. */
export function createVendorHarness(vendor: EmulatedVendor): TextToSpeechHarness {
  const { provider, tts, format, emulator, speechFaults, openConnections } = vendor;
  const afterSomeAudio = { afterAudioMs: 400 };
  return {
    tts,
    choice: { provider, model: '', params: {} },
    credentials: { api_key: 'good', base_url: emulator.url },
    format,
    openConnections,
    faults: {
      badCredentials: { api_key: 'bad', base_url: emulator.url },
      dropNext: () => Object.assign(speechFaults, { dropNext: 1, ...afterSomeAudio }),
      errorNext: () => Object.assign(speechFaults, { errorNext: 1, ...afterSomeAudio }),
      stallNext: () => Object.assign(speechFaults, { stallNext: 1 }),
      disconnect: () => emulator.dropConnections(),
      refuse: () => Object.assign(emulator.faults, { refuseNext: Number.POSITIVE_INFINITY }),
    },
    close: () => emulator.close(),
  };
}

/** Lets a voice speak these sentences. Throws what the voice throws. */
export async function chunksOf(voice: Voice, ...sentences: string[]): Promise<SpeechChunk[]> {
  async function* given() {
    yield* sentences;
  }
  const chunks: SpeechChunk[] = [];
  for await (const chunk of voice.speak(given(), new AbortController().signal)) chunks.push(chunk);
  return chunks;
}
