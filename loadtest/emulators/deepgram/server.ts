import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type AudioFormat, PCMU_8K } from '@voice/shared/audio/format';
import { systemClock } from '@voice/shared/clock/clock';
import { FrameIndex } from '../recognition/frame-index.js';
import { soundOf } from '../recognition/phrase-track.js';
import { Recogniser } from '../recognition/recogniser.js';
import { SoundRecogniser } from '../recognition/sound-recogniser.js';
import { FaultyHandshakes, noHandshakeFaults } from '../serving/handshake-faults.js';
import {
  acceptWebSockets,
  listen,
  type RunningEmulator,
  refuseUpgrade,
  requestUrl,
} from '../serving/http-server.js';
import { noSpeechFaults } from '../serving/speech-faults.js';
import { createToneVoice } from '../synthesis/tone-voice.js';
import { serveConnection } from './connection.js';
import type { DeepgramCounters, DeepgramEmulatorOptions, DeepgramFaults } from './options.js';
import { answerPlain } from './plain-requests.js';
import { parseListen } from './query.js';
import { SpeakConnection, type SpeakContext } from './speak-connection.js';
import { parseSpeak } from './speak-query.js';

export interface DeepgramEmulator extends RunningEmulator {
  readonly counters: Readonly<DeepgramCounters>;
  /** Assign to its fields to make things go wrong. */
  readonly faults: DeepgramFaults;
  /** Tears all open connections. */
  dropConnections(): void;
  /** Lets all open connections die unseen: they stay open, and nothing is read or answered any more. */
  freezeConnections(): void;
}

/**
 * Serves Deepgram's streaming APIs on loopback: speech to text, which recognises the phrasebook's phrases by their exact
 * audio, and text to speech, by a tone.
 */
export async function startDeepgramEmulator(
  options: DeepgramEmulatorOptions = {},
): Promise<DeepgramEmulator> {
  const { server, running } = await listen(options.port ?? 0);
  const { sockets, dropConnections } = acceptWebSockets(server, '{"err_code":"NOT_FOUND"}', (request) =>
    answerPlain(request, (asking) => authorized(asking, options.apiKeys)),
  );
  const faults: DeepgramFaults = {
    ...noHandshakeFaults(),
    speech: noSpeechFaults(),
    dropAfterAudioMs: 0,
    dropNext: 0,
    garbageNext: 0,
    muteNext: 0,
    mute: false,
  };
  const counters: DeepgramCounters = {
    connections: 0,
    refused: 0,
    open: 0,
    audioBytes: 0,
    audioMessages: 0,
    keepAlives: 0,
    finalizes: 0,
    closeStreams: 0,
    violations: 0,
    speech: {
      connections: 0,
      open: 0,
      characters: 0,
      generations: 0,
      clears: 0,
      ignoredFlushes: 0,
      violations: 0,
    },
  };
  const indexes = new Map<string, FrameIndex>();
  const indexOf = (format: AudioFormat) => {
    const key = `${format.encoding} ${format.sampleRate}`;
    const index = indexes.get(key) ?? new FrameIndex(options.phrasebook ?? [], format);
    indexes.set(key, index);
    return index;
  };
  // Most calls are of the phone's format: its index is ready before the first.
  indexOf(PCMU_8K);
  const sounds = options.bySound ? (options.phrasebook ?? []).map(soundOf) : undefined;
  const context = {
    createRecogniser: (format: AudioFormat) =>
      sounds ? new SoundRecogniser(sounds, format) : new Recogniser(indexOf(format)),
    delays: {
      speechStartedDelayMs: 50,
      interimDelayMs: 100,
      interimEveryMs: 0,
      finalDelayMs: 100,
      ...options.delays,
    },
    idleTimeoutMs: options.idleTimeoutMs ?? 10_000,
    clock: options.clock ?? systemClock,
    faults,
    counters,
  };

  const speaking: SpeakContext = {
    source: createToneVoice(),
    pace: { firstAudioDelayMs: 0, speed: 10, chunkMs: 250, ...options.speech },
    clock: context.clock,
    faults: faults.speech,
    counters: counters.speech,
  };

  const handshakes = new FaultyHandshakes(faults);
  server.on('upgrade', (request, socket, head) => {
    const refuse = (status: number, code: string, message: string) => {
      counters.refused += 1;
      const body = { err_code: code, err_msg: message, request_id: randomUUID() };
      refuseUpgrade(socket, status, body, faults.retryAfterSeconds);
    };
    const fault = handshakes.take(socket);
    if (fault === 'hangs') return;
    if (fault === 'is refused') return refuse(faults.refuseStatus, 'UNAVAILABLE', 'refused on purpose');
    if (!authorized(request, options.apiKeys)) {
      refuse(401, 'INVALID_AUTH', 'Invalid credentials.');
      return;
    }
    const url = requestUrl(request);
    const asked = url.pathname === '/v1/speak' ? parseSpeak(url) : parseListen(url);
    if ('status' in asked) {
      refuse(asked.status, 'Bad Request', asked.message);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (client) => {
      if (asked.kind === 'speak') new SpeakConnection(client, asked, speaking);
      else serveConnection(client, asked, context);
    });
  });
  return {
    ...running,
    counters,
    faults,
    dropConnections,
    freezeConnections() {
      for (const client of sockets.clients) client.pause();
    },
    async close() {
      handshakes.drop();
      dropConnections();
      await running.close();
    },
  };
}

/** Checks `Authorization: Token KEY`; a Bearer is for temporary tokens, which this emulator does not issue. */
function authorized(request: IncomingMessage, keys: readonly string[] | undefined): boolean {
  const key = /^Token (\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  return key !== undefined && (keys === undefined || keys.includes(key));
}
