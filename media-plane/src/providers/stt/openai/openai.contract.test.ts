import { convertAudio } from '@voice/shared/audio/converter';
import { type AudioFormat, L16_24K, PCMA_8K, PCMU_8K } from '@voice/shared/audio/format';
import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import { framesOf, syntheticPhrase } from '../../../../../loadtest/emulators/deepgram/synthetic-phrase.js';
import { startOpenAiTranscriptionEmulator } from '../../../../../loadtest/emulators/openai-transcription/server.js';
import { describeSpeechToTextContract, type SpeechToTextHarness } from '../testing/contract.js';
import { createOpenAiSpeechToText } from './openai.js';

const PHRASES = [
  'Yes, I would like to make an appointment.',
  'Would Tuesday at three be possible?',
  'Thank you very much, goodbye.',
].map(syntheticPhrase);

async function makeHarness(format: AudioFormat): Promise<SpeechToTextHarness> {
  const emulator = await startOpenAiTranscriptionEmulator({
    phrasebook: PHRASES,
    apiKeys: ['good'],
    interimDelayMs: 5,
    finalDelayMs: 10,
  });
  return {
    stt: createOpenAiSpeechToText({
      egress: createAddressPolicy([]),
      backoff: { firstMs: 5, maxMs: 20, maxFailures: 3 },
      random: () => 0,
    }),
    options: {
      choice: { provider: 'openai', model: '', params: {} },
      credentials: { api_key: 'good', base_url: emulator.baseUrl },
      format,
      language: 'en-US',
      endpointingMs: 300,
    },
    badCredentials: { api_key: 'bad', base_url: emulator.baseUrl },
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

const abilities = { finalizes: true, isRemote: true };
describeSpeechToTextContract('openai', () => makeHarness(PCMU_8K), abilities);
describeSpeechToTextContract('openai, A-law', () => makeHarness(PCMA_8K), abilities);
describeSpeechToTextContract('openai at 24 kHz', () => makeHarness(L16_24K), abilities);
