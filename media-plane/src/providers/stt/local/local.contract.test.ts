import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { convertAudio } from '@voice/shared/audio/converter';
import { type AudioFormat, L16_16K, PCMU_8K, silenceByte } from '@voice/shared/audio/format';
import { FRAME_MS } from '@voice/shared/audio/g711';
import type { Caption } from '@voice/shared/contracts/captions';
import { WebSocketServer } from 'ws';
import { framesOf, syntheticPhrase } from '../../../../../loadtest/emulators/recognition/synthetic-phrase.js';
import type { SttSession } from '../port.js';
import { describeSpeechToTextContract, type SpeechToTextHarness } from '../testing/contract.js';
import { createLocalSpeechToText } from './local.js';

const PHRASES = ['Yes, I would like to make an appointment.', 'Would Tuesday be possible?', 'Goodbye.'].map(
  (text) => {
    const phrase = syntheticPhrase(text);
    return { text, words: phrase.words, audio: phrase.audio };
  },
);

function phrasesIn(format: AudioFormat) {
  return PHRASES.map(({ text, words, audio }) => {
    return { text, words, frames: framesOf(convertAudio(audio, { from: PCMU_8K, to: format }), format) };
  });
}

/** Silence after which the stand-in for the detector says that speech has ended, in ms. */
const HANGOVER_MS = 300;

/**
 * What surrounds the recogniser in a call of a simulated person: the script is published with the first frame of
 * each utterance, and the detector reports speech.
 */
function asInACall(
  session: SttSession,
  format: AudioFormat,
  publish: (caption: Caption) => void,
): SttSession {
  const phrases = phrasesIn(format);
  const silence = silenceByte(format);
  let speechEndMs: number | undefined;
  let utterances = 0;
  return {
    write(frame) {
      const atMs = session.audioMs;
      const phrase = phrases.find(({ frames }) => Buffer.compare(frames[0]!, frame) === 0);
      if (phrase) {
        const words = phrase.words.map(({ text, startMs, endMs }) => ({
          text,
          start_ms: atMs + startMs,
          end_ms: atMs + endMs,
        }));
        publish({ kind: 'utterance', id: utterances++, words });
      }
      session.write(frame);
      if (frame.some((byte) => byte !== silence)) {
        if (speechEndMs === undefined) session.voiceActivity(true, atMs);
        speechEndMs = atMs + FRAME_MS;
      } else if (speechEndMs !== undefined && atMs - speechEndMs >= HANGOVER_MS) {
        session.voiceActivity(false, speechEndMs);
        speechEndMs = undefined;
      }
    },
    voiceActivity: (speaking, atMs) => session.voiceActivity(speaking, atMs),
    finalize: () => session.finalize(),
    get audioMs() {
      return session.audioMs;
    },
    close: () => session.close(),
  };
}

async function makeHarness(format: AudioFormat): Promise<SpeechToTextHarness> {
  const published = new Map<string, string[]>();
  let refusing = false;
  const server = new WebSocketServer({
    port: 0,
    host: '127.0.0.1',
    verifyClient: (_, decide) => decide(!refusing, 503),
  });
  await once(server, 'listening');
  const base = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const paths = new WeakMap<object, string>();
  server.on('connection', (socket, request) => {
    paths.set(socket, request.url ?? '');
    for (const text of published.get(request.url ?? '') ?? []) socket.send(text);
  });
  const local = createLocalSpeechToText();
  let sessions = 0;
  return {
    stt: {
      name: local.name,
      open(options) {
        const path = `/captions/${sessions++}`;
        published.set(path, []);
        return asInACall(local.open({ ...options, captionsUrl: base + path }), options.format, (caption) => {
          const text = JSON.stringify(caption);
          published.get(path)!.push(text);
          for (const client of server.clients) if (paths.get(client) === path) client.send(text);
        });
      },
    },
    options: {
      choice: { provider: 'local', model: '', params: {} },
      credentials: {},
      format,
      language: 'en-US',
      endpointingMs: 300,
    },
    badCredentials: undefined,
    phrases: phrasesIn(format),
    openConnections: () => server.clients.size,
    disconnect: () => {
      for (const client of server.clients) client.terminate();
    },
    refuse: () => {
      refusing = true;
    },
    async close() {
      for (const client of server.clients) client.terminate();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

describeSpeechToTextContract('local', () => makeHarness(PCMU_8K), { finalizes: true });
describeSpeechToTextContract('local at 16 kHz', () => makeHarness(L16_16K), { finalizes: true });
