import { convertAudio } from '@voice/shared/audio/converter';
import { type AudioFormat, PCMU_8K } from '@voice/shared/audio/format';
import type { ProviderChoice } from '@voice/shared/contracts/agent';
import { framesOf, syntheticPhrase } from '../../../../../loadtest/emulators/recognition/synthetic-phrase.js';
import type { SpeechToText } from '../port.js';
import type { SpeechToTextHarness } from './contract.js';

const PHRASES = [
  'Yes, I would like to make an appointment.',
  'Would Tuesday at three be possible?',
  'Thank you very much, goodbye.',
].map(syntheticPhrase);

/** How an emulator is started that `createVendorHarness` takes. */
export const EMULATED_VENDOR = { phrasebook: PHRASES, apiKeys: ['good'] };

/** How fast it recognises, in ms. */
export const VENDOR_DELAYS = { interimDelayMs: 5, finalDelayMs: 10 };

/** How an adapter connects again: soon, and always after the same waits. */
export const QUICK_RETRIES = { backoff: { firstMs: 5, maxMs: 20, maxFailures: 3 }, random: () => 0 };

interface EmulatedVendor {
  readonly stt: SpeechToText;
  readonly choice: ProviderChoice;
  readonly baseUrl: string;
  readonly format: AudioFormat;
  readonly emulator: {
    readonly counters: { readonly open: number };
    readonly faults: { refuseNext: number };
    dropConnections(): void;
    close(): Promise<void>;
  };
}

/** Lets the contract test an adapter against its emulated vendor, started with `EMULATED_VENDOR`. */
export function createVendorHarness(vendor: EmulatedVendor): SpeechToTextHarness {
  const { stt, choice, baseUrl, format, emulator } = vendor;
  return {
    stt,
    options: {
      choice,
      credentials: { api_key: 'good', base_url: baseUrl },
      format,
      language: 'en-US',
      endpointingMs: 300,
    },
    badCredentials: { api_key: 'bad', base_url: baseUrl },
    phrases: PHRASES.map(({ text, audio }) => {
      return { text, frames: framesOf(convertAudio(audio, { from: PCMU_8K, to: format }), format) };
    }),
    openConnections: () => emulator.counters.open,
    disconnect: () => emulator.dropConnections(),
    refuse: () => {
      emulator.faults.refuseNext = Number.POSITIVE_INFINITY;
    },
    close: () => emulator.close(),
  };
}
