import { startDeepgramEmulator } from '../../../../../loadtest/emulators/deepgram/server.js';
import { framesOf, syntheticPhrase } from '../../../../../loadtest/emulators/deepgram/synthetic-phrase.js';
import { describeSpeechToTextContract, type SpeechToTextHarness } from '../contract.js';
import { createDeepgramSpeechToText } from './deepgram.js';

const PHRASES = [
  'Yes, I would like to make an appointment.',
  'Would Tuesday at three be possible?',
  'Thank you very much, goodbye.',
].map(syntheticPhrase);

async function makeHarness(model: string): Promise<SpeechToTextHarness> {
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
      language: 'en-US',
      endpointingMs: 300,
    },
    badCredentials: { api_key: 'bad', base_url: emulator.url },
    phrases: PHRASES.map((phrase) => ({ text: phrase.text, frames: framesOf(phrase.audio) })),
    openConnections: () => emulator.counters.open,
    disconnect: () => emulator.dropConnections(),
    refuse: () => {
      emulator.faults.refuseNext = Number.POSITIVE_INFINITY;
    },
    close: () => emulator.close(),
  };
}

describeSpeechToTextContract('deepgram nova', () => makeHarness('nova-3'), { finalizes: true });
describeSpeechToTextContract('deepgram flux', () => makeHarness('flux-general-en'), { finalizes: false });
