import type { Duplex } from 'node:stream';
import { systemClock } from '@voice/shared/clock/clock';
import {
  acceptWebSockets,
  listen,
  type RunningEmulator,
  refuseUpgrade,
  requestUrl,
} from '../serving/http-server.js';
import { createEspeakVoice } from '../synthesis/espeak-voice.js';
import { createToneVoice } from '../synthesis/tone-voice.js';
import { MultiStreamConnection } from './connection.js';
import type { ConnectionContext } from './context.js';
import type { ElevenLabsCounters, ElevenLabsEmulatorOptions, ElevenLabsFaults } from './options.js';
import { type MultiStreamInputQuery, parseMultiStreamInput } from './request.js';
import { answerVoices } from './voice-list.js';

const PATH = /^\/v1\/text-to-speech\/([A-Za-z0-9_-]+)\/multi-stream-input$/;

export interface ElevenLabsEmulator extends RunningEmulator {
  readonly counters: Readonly<ElevenLabsCounters>;
  /** Assign to its fields to make things go wrong. */
  readonly faults: ElevenLabsFaults;
  /** Tears all open connections. */
  dropConnections(): void;
}

/** Serves ElevenLabs' `multi-stream-input` on loopback, in the raw formats that it has. */
export async function startElevenLabsEmulator(
  options: ElevenLabsEmulatorOptions = {},
): Promise<ElevenLabsEmulator> {
  const { server, running } = await listen(options.port ?? 0);
  const accepts = (key: string | undefined) =>
    key !== undefined && (options.apiKeys === undefined || options.apiKeys.includes(key));
  const { sockets, dropConnections } = acceptWebSockets(server, '{"detail":"Not Found"}', (request) =>
    answerVoices(request, { accepts, previews: running.url, more: options.clonedVoices ?? 0 }),
  );
  const source = options.voice === 'espeak' ? createEspeakVoice() : createToneVoice();
  const counters: ElevenLabsCounters = {
    connections: 0,
    refused: 0,
    open: 0,
    contexts: 0,
    turns: 0,
    completed: 0,
    aborted: 0,
    characters: 0,
    keepAlives: 0,
    violations: 0,
  };
  const faults: ElevenLabsFaults = {
    refuseNext: 0,
    refuseStatus: 503,
    dropNext: 0,
    errorNext: 0,
    afterAudioMs: 0,
    freezeNext: 0,
    garbageNext: 0,
    stallNext: 0,
    hangNext: 0,
  };
  const context: ConnectionContext = {
    source,
    firstAudioDelayMs: options.firstAudioDelayMs ?? 0,
    speed: options.speed ?? 10,
    chunkMs: options.chunkMs ?? 250,
    inactivityTimeoutMs: options.inactivityTimeoutMs ?? 20_000,
    clock: options.clock ?? systemClock,
    counters,
    faults,
    accepts,
  };

  const hanging = new Set<Duplex>();
  server.on('upgrade', (request, socket, head) => {
    const url = requestUrl(request);
    const voiceId = PATH.exec(url.pathname)?.[1];
    if (faults.hangNext > 0) {
      faults.hangNext -= 1;
      hanging.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => hanging.delete(socket));
      return;
    }
    if (faults.refuseNext > 0 || voiceId === undefined) {
      counters.refused += 1;
      if (voiceId !== undefined) faults.refuseNext -= 1;
      refuseUpgrade(socket, voiceId === undefined ? 404 : faults.refuseStatus, { detail: 'refused' });
      return;
    }
    const asked = parseMultiStreamInput(url);
    const header = request.headers['xi-api-key'];
    const key = typeof header === 'string' ? header : undefined;
    sockets.handleUpgrade(request, socket, head, (client) => {
      // The service refuses a wrong request on the open WebSocket, before it closes it.
      const query: MultiStreamInputQuery | undefined = 'error' in asked ? undefined : asked;
      const connection = new MultiStreamConnection(client, query ?? FALLBACK_QUERY, key, context);
      if ('error' in asked) connection.refuse(asked);
      else if (key !== undefined && !context.accepts(key)) {
        connection.refuse({ error: 'invalid_api_key', message: 'Invalid API key' });
      } else if (options.voiceIds && !options.voiceIds.includes(voiceId)) {
        connection.refuse({
          error: 'voice_not_found',
          message: `A voice with voice_id ${voiceId} was not found.`,
        });
      }
    });
  });
  return {
    ...running,
    counters,
    faults,
    dropConnections,
    async close() {
      for (const socket of hanging) socket.destroy();
      dropConnections();
      source.close();
      await running.close();
    },
  };
}

/** Of a connection that is refused before its query matters. */
const FALLBACK_QUERY: MultiStreamInputQuery = {
  model_id: 'eleven_flash_v2_5',
  output_format: 'ulaw_8000',
  auto_mode: false,
  sync_alignment: false,
};
