import { convertAudio } from '@voice/shared/audio/converter';
import { type AudioFormat, L16_16K, PCMU_8K } from '@voice/shared/audio/format';
import { startAssemblyAiEmulator } from '../../../../../loadtest/emulators/assemblyai/server.js';
import { framesOf, syntheticPhrase } from '../../../../../loadtest/emulators/deepgram/synthetic-phrase.js';
import { describeSpeechToTextContract, type SpeechToTextHarness } from '../testing/contract.js';
import { createAssemblyAiSpeechToText } from './assemblyai.js';

const PHRASES = [
  'Yes, I would like to make an appointment.',
  'Would Tuesday at three be possible?',
  'Thank you very much, goodbye.',
].map(syntheticPhrase);

async function makeHarness(format: AudioFormat): Promise<SpeechToTextHarness> {
  const emulator = await startAssemblyAiEmulator({
    phrasebook: PHRASES,
    apiKeys: ['good'],
    interimDelayMs: 5,
    finalDelayMs: 10,
  });
  return {
    stt: createAssemblyAiSpeechToText({
      backoff: { firstMs: 5, maxMs: 20, maxFailures: 3 },
      random: () => 0,
    }),
    options: {
      choice: { provider: 'assemblyai', model: '', params: {} },
      credentials: { api_key: 'good', base_url: emulator.url },
      format,
      language: 'en-US',
      endpointingMs: 300,
    },
    badCredentials: { api_key: 'bad', base_url: emulator.url },
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

const abilities = { finalizes: false, isRemote: true };
describeSpeechToTextContract('assemblyai', () => makeHarness(PCMU_8K), abilities);
describeSpeechToTextContract('assemblyai at 16 kHz', () => makeHarness(L16_16K), abilities);
