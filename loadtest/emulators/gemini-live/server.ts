import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { systemClock } from '@voice/shared/clock/clock';
import type { WebSocket } from 'ws';
import { soundOf } from '../recognition/phrase-track.js';
import {
  acceptWebSockets,
  listen,
  type RunningEmulator,
  refuseUpgrade,
  requestUrl,
} from '../serving/http-server.js';
import { createEspeakVoice } from '../synthesis/espeak-voice.js';
import { createToneVoice } from '../synthesis/tone-voice.js';
import type { Refusal } from './client-message.js';
import { type ConnectionContext, type KeptSession, LiveConnection } from './connection.js';
import { EMPTY_MEMORY, type Memory } from './model.js';
import {
  type GeminiLiveCounters,
  type GeminiLiveEmulatorOptions,
  type GeminiLiveFaults,
  noCounts,
  noFaults,
} from './options.js';
import { knownPhrases } from './phrase-recogniser.js';

const PATH = '/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent';
/** Sessions that can be resumed, over all connections; the oldest is forgotten first. */
const MOST_KEPT = 10_000;

export interface GeminiLiveEmulator extends RunningEmulator {
  readonly counters: Readonly<GeminiLiveCounters>;
  /** Assign to its fields to make things go wrong. */
  readonly faults: GeminiLiveFaults;
  /** Tears all open connections. */
  dropConnections(): void;
  /** Lets all open connections die unseen: they stay open, and nothing is read or answered any more. */
  freezeConnections(): void;
  /** Announces the end of all open connections, in ms from now. */
  goAway(inMs: number): void;
  /** Ends all open sessions as when their time is up. */
  expire(): void;
  /** Sends what no client understands over all open connections. */
  sendGarbage(): void;
  /** Answers the next handshake only when the returned function is called. */
  holdNextHandshake(): () => void;
  /** Returns what the model of the newest connection remembers. */
  memory(): Memory;
}

/**
 * Serves the Gemini Live API on loopback: understands the phrasebook's phrases, holds the instruction's
 * conversation.
 */
export async function startGeminiLiveEmulator(
  options: GeminiLiveEmulatorOptions = {},
): Promise<GeminiLiveEmulator> {
  const { server, running } = await listen(options.port ?? 0);
  const { sockets, dropConnections } = acceptWebSockets(server, '{"error":{"code":404}}');
  const clock = options.clock ?? systemClock;
  const source = options.voice === 'espeak' ? createEspeakVoice() : createToneVoice();
  const faults = noFaults();
  const counters = noCounts();
  const connections = new Map<WebSocket, LiveConnection>();
  const hanging = new Set<Duplex>();
  let held: { release: Promise<void> } | undefined;
  let newest: LiveConnection | undefined;
  const kept = new Map<string, KeptSession>();
  const context: ConnectionContext = {
    answering: {
      source,
      script: options.script,
      firstAudioDelayMs: options.delays?.firstAudioDelayMs ?? 300,
      speed: options.speed ?? 4,
      playSpeed: options.playSpeed ?? 1,
      chunkMs: options.chunkMs ?? 40,
      clock,
      faults,
      counters,
    },
    phrases: knownPhrases(options.phrasebook ?? []),
    sounds: options.bySound ? (options.phrasebook ?? []).map(soundOf) : undefined,
    transcriptionDelayMs: options.delays?.transcriptionDelayMs ?? 100,
    connectionLifeMs: options.connectionLifeMs ?? 600_000,
    goAwayLeadMs: options.goAwayLeadMs ?? 60_000,
    sessionLifeMs: options.sessionLifeMs ?? 900_000,
    clock,
    counters,
    refusalOfKey: (key) => refusalOfKey(key, options.apiKeys),
    recall: (handle) => (faults.forgetHandles ? undefined : kept.get(handle)),
    keep: (session) => {
      const handle = randomUUID();
      kept.set(handle, session);
      const oldest = kept.keys().next().value;
      if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
      return handle;
    },
  };

  const accept = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    sockets.handleUpgrade(request, socket, head, (client) => {
      counters.open += 1;
      client.on('error', () => {});
      client.on('close', () => {
        counters.open -= 1;
        connections.delete(client);
      });
      if (faults.muteNext > 0) {
        faults.muteNext -= 1;
        return;
      }
      newest = new LiveConnection(client, keyOf(request), context);
      connections.set(client, newest);
    });
  };
  const hang = (socket: Duplex) => {
    hanging.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => hanging.delete(socket));
  };
  server.on('upgrade', (request, socket, head) => {
    counters.attempts += 1;
    if (held) {
      hang(socket);
      const { release } = held;
      held = undefined;
      void release.then(() => {
        if (hanging.delete(socket)) accept(request, socket, head);
      });
      return;
    }
    if (faults.hangNext > 0) {
      faults.hangNext -= 1;
      hang(socket);
      return;
    }
    const refused = faults.refuseNext > 0;
    if (refused || requestUrl(request).pathname !== PATH) {
      counters.refused += 1;
      if (refused) faults.refuseNext -= 1;
      const status = refused ? faults.refuseStatus : 404;
      refuseUpgrade(socket, status, { error: { code: status, message: 'refused' } });
      return;
    }
    accept(request, socket, head);
  });
  return {
    ...running,
    counters,
    faults,
    dropConnections,
    freezeConnections() {
      for (const client of sockets.clients) client.pause();
    },
    goAway(inMs) {
      for (const connection of connections.values()) connection.goAway(inMs);
    },
    expire() {
      for (const connection of connections.values()) connection.expire();
    },
    sendGarbage() {
      for (const connection of connections.values()) connection.sendGarbage();
    },
    holdNextHandshake() {
      let answer = () => {};
      held = {
        release: new Promise((resolve) => {
          answer = resolve;
        }),
      };
      return () => answer();
    },
    memory: () => newest?.memory ?? EMPTY_MEMORY,
    async close() {
      dropConnections();
      for (const socket of hanging) socket.destroy();
      source.close();
      await running.close();
    },
  };
}

/** Reads the key from the query, as the SDK for browsers sends it, or from the header that Google's APIs share. */
function keyOf(request: IncomingMessage): string | undefined {
  const header = request.headers['x-goog-api-key'];
  return requestUrl(request).searchParams.get('key') ?? (typeof header === 'string' ? header : undefined);
}

/**
 * Checks the key: the handshake is accepted, and the connection closed at the set-up (seen: 1007 "API key
 * expired…").
 */
function refusalOfKey(key: string | undefined, keys: readonly string[] | undefined): Refusal | undefined {
  if (key === undefined || key === '') {
    return {
      code: 1008,
      reason:
        "Method doesn't allow unregistered callers (callers without established identity). " +
        'Please use API Key or other form of API consumer identity to call this API.',
    };
  }
  if (keys === undefined || keys.includes(key)) return undefined;
  return { code: 1007, reason: 'API key not valid. Please pass a valid API key.' };
}
