import { convertAudio } from '@voice/shared/audio/converter';
import { type AudioFormat, L16_16K, PCMA_8K, PCMU_8K } from '@voice/shared/audio/format';
import { startDeepgramEmulator } from '../../../../../loadtest/emulators/deepgram/server.js';
import { framesOf, syntheticPhrase } from '../../../../../loadtest/emulators/deepgram/synthetic-phrase.js';
import { describeSpeechToTextContract, type SpeechToTextHarness } from '../testing/contract.js';
import { createDeepgramSpeechToText } from './deepgram.js';

const PHRASES = [
  'Yes, I would like to make an appointment.',
  'Would Tuesday at three be possible?',
  'Thank you very much, goodbye.',
].map(syntheticPhrase);

async function makeHarness(model: string, format: AudioFormat): Promise<SpeechToTextHarness> {
  const emulator = await startDeepgramEmulator({
    phrasebook: PHRASES,
    apiKeys: ['good'],
    delays: { speechStartedDelayMs: 5, interimDelayMs: 5, finalDelayMs: 10 },
  });
  return {
    stt: createDeepgramSpeechToText({ backoff: { firstMs: 5, maxMs: 20, maxFailures: 3 }, random: () => 0 }),
    options: {
      choice: { provider: 'deepgram', model, params: {} },
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

const nova = (format: AudioFormat) => () => makeHarness('nova-3', format);
const flux = (format: AudioFormat) => () => makeHarness('flux-general-en', format);
describeSpeechToTextContract('deepgram nova', nova(PCMU_8K), { finalizes: true, isRemote: true });
describeSpeechToTextContract('deepgram nova, A-law', nova(PCMA_8K), { finalizes: true, isRemote: true });
describeSpeechToTextContract('deepgram nova at 16 kHz', nova(L16_16K), { finalizes: true, isRemote: true });
describeSpeechToTextContract('deepgram flux', flux(PCMU_8K), { finalizes: false, isRemote: true });
describeSpeechToTextContract('deepgram flux at 16 kHz', flux(L16_16K), { finalizes: false, isRemote: true });
