import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { systemClock } from '@voice/shared/clock/clock';
import { type WebSocket, WebSocketServer } from 'ws';
import { FrameIndex } from '../recognition/frame-index.js';
import { listen, refuseUpgrade, requestUrl } from '../serving/http-server.js';
import { serveControl } from './control.js';
import type { OpenAiRealtimeEmulator } from './emulator.js';
import { newId } from './ids.js';
import {
  noCounts,
  noFaults,
  type OpenAiRealtimeEmulatorOptions,
  type OpenAiRealtimeFaults,
} from './options.js';
import { PhraseMatcher } from './phrase-matcher.js';
import { RealtimeEmulatedSession } from './session.js';
import { SoundMatcher } from './sound-matcher.js';
import { createVoice } from './voice.js';

/** The models that the endpoint serves, by the SDK's types; dated versions too. */
const MODEL =
  /^(gpt-realtime(-mini|-1\.5|-2|-2\.1|-2\.1-mini)?|gpt-4o(-mini)?-realtime-preview)(-\d{4}-\d{2}-\d{2})?$/;
const SESSION_LIMIT_MS = 60 * 60_000;

/** Serves OpenAI's Realtime API (generally available version) over WebSocket on loopback. */
export async function startOpenAiRealtimeEmulator(
  options: OpenAiRealtimeEmulatorOptions = {},
): Promise<OpenAiRealtimeEmulator> {
  const { server, running } = await listen(options.port ?? 0);
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  const faults = noFaults();
  const counters = noCounts();
  const phrasebook = options.phrasebook ?? [];
  const recognition = {
    index: new FrameIndex(phrasebook),
    matcher: options.bySound ? new SoundMatcher(phrasebook) : new PhraseMatcher(phrasebook),
  };
  const voice = createVoice(options.voice ?? 'tone');
  const model = {
    script: options.script,
    voice,
    firstAudioDelayMs: options.firstAudioDelayMs ?? 0,
    speed: options.speed ?? Number.POSITIVE_INFINITY,
    chunkMs: options.chunkMs ?? 200,
    clock: options.clock ?? systemClock,
    faults,
    counters,
  };
  const sessions = new Set<RealtimeEmulatedSession>();
  let newest: RealtimeEmulatedSession | undefined;
  let held: { readonly socket: Duplex; readonly go: () => void }[] = [];

  const serve = (socket: WebSocket, modelName: string) => {
    const session = new RealtimeEmulatedSession({
      socket,
      modelName,
      model,
      recognition,
      limitMs: faults.sessionLimitMs || (options.sessionLimitMs ?? SESSION_LIMIT_MS),
      transcriptionDelayMs: options.transcriptionDelayMs ?? 0,
    });
    counters.sessions += 1;
    sessions.add(session);
    newest = session;
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) socket.close(1003, 'binary messages are not supported');
      else session.receive(data.toString('utf8'));
    });
    socket.on('close', () => {
      sessions.delete(session);
      session.end();
    });
  };

  const accept = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    sockets.handleUpgrade(request, socket, head, (client) => {
      counters.open += 1;
      client.on('error', () => {});
      client.on('close', () => {
        counters.open -= 1;
      });
      const refusal = protocolRefusal(request);
      if (refusal) {
        counters.refused += 1;
        const error = { type: 'invalid_request_error', ...refusal, param: null, event_id: null };
        client.send(JSON.stringify({ type: 'error', event_id: newId('event'), error }));
        client.close(4000, `invalid_request_error.${refusal.code}`);
      } else if (faults.muteNext > 0) faults.muteNext -= 1;
      else serve(client, requestUrl(request).searchParams.get('model') ?? '');
    });
  };

  server.on('upgrade', (request, socket, head) => {
    counters.attempts += 1;
    socket.on('error', () => {});
    const refusal = httpRefusal(request, options.apiKeys, faults);
    if (refusal) {
      counters.refused += 1;
      refuseUpgrade(socket, refusal.status, { error: { ...refusal.error, param: null } });
    } else if (faults.holdNext > 0) {
      faults.holdNext -= 1;
      held.push({ socket, go: () => accept(request, socket, head) });
    } else accept(request, socket, head);
  });

  const emulator: OpenAiRealtimeEmulator = {
    ...running,
    baseUrl: `${running.url}/v1`,
    counters,
    faults,
    memory: () => newest?.conversation.entries ?? [],
    release() {
      const waiting = held;
      held = [];
      faults.holdNext = 0;
      for (const { go } of waiting) go();
    },
    dropConnections() {
      for (const client of sockets.clients) client.terminate();
    },
    freezeConnections() {
      for (const client of sockets.clients) client.pause();
    },
    expireSessions() {
      for (const session of sessions) session.expire();
    },
    broadcast(text) {
      for (const client of sockets.clients) client.send(text);
    },
    async close() {
      emulator.dropConnections();
      for (const { socket } of held) socket.destroy();
      voice.close();
      await running.close();
    },
  };
  server.on('request', (request, response) => serveControl(emulator, request, response));
  return emulator;
}

interface HttpRefusal {
  readonly status: number;
  readonly error: { readonly message: string; readonly type: string; readonly code: string | null };
}

function httpRefusal(
  request: IncomingMessage,
  keys: readonly string[] | undefined,
  faults: OpenAiRealtimeFaults,
): HttpRefusal | undefined {
  const invalid = (status: number, message: string, code: string | null) => ({
    status,
    error: { message, type: 'invalid_request_error', code },
  });
  if (requestUrl(request).pathname !== '/v1/realtime') return invalid(404, 'Invalid URL.', null);
  const key = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1];
  if (key === undefined) return invalid(401, 'Missing bearer or basic authentication in header', null);
  if (keys && !keys.includes(key)) return invalid(401, 'Incorrect API key provided.', 'invalid_api_key');
  if (faults.refuseNext === 0) return undefined;
  faults.refuseNext -= 1;
  const message = 'refused on purpose';
  return { status: faults.refuseStatus, error: { message, type: 'server_error', code: null } };
}

/** Finds what the service accepts as a WebSocket and then refuses: seen as an `error` event and close code 4000. */
function protocolRefusal(request: IncomingMessage): { code: string; message: string } | undefined {
  if (request.headers['openai-beta'] !== undefined) {
    const message = 'The Realtime Beta API is no longer supported. Please use /v1/realtime for the GA API.';
    return { code: 'beta_api_shape_disabled', message };
  }
  const model = requestUrl(request).searchParams.get('model');
  if (model === null) return { code: 'missing_model', message: 'You must provide a model parameter.' };
  if (!MODEL.test(model)) {
    const message = `The model \`${model}\` does not exist or you do not have access to it.`;
    return { code: 'model_not_found', message };
  }
  return undefined;
}
