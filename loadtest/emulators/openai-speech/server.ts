import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { convertAudio } from '@voice/shared/audio/converter';
import { L16_24K, PCMU_8K } from '@voice/shared/audio/format';
import { type Clock, systemClock } from '@voice/shared/clock/clock';
import { createToneVoice } from '../elevenlabs/tone-voice.js';
import { listen, type RunningEmulator, readBody, requestUrl } from '../serving/http-server.js';
import { fallSilent, type Pace, pacedAudio } from '../serving/paced-audio.js';
import {
  noSpeechFaults,
  type SpeechFault,
  type SpeechFaults,
  takeSpeechFault,
} from '../serving/speech-faults.js';
import { parseSpeechRequest, type SpeechRequest } from './request.js';

const MAX_BODY_BYTES = 100_000;

interface OpenAiSpeechEmulatorOptions extends Partial<Pace> {
  /** 0 takes a free one. */
  readonly port?: number;
  /** The accepted keys; any when undefined. */
  readonly apiKeys?: readonly string[];
  readonly clock?: Clock;
}

interface OpenAiSpeechFaults extends SpeechFaults {
  /** Answers this many requests with `failStatus`. */
  failNext: number;
  failStatus: 400 | 401 | 429 | 500 | 503;
  /** `Retry-After` of those answers, in seconds; null: none. */
  retryAfterSeconds: number | null;
  /** Takes this many requests and answers them with a page of text. */
  pageNext: number;
}

export interface OpenAiSpeechEmulator extends RunningEmulator {
  /** What `base_url` must be. */
  readonly baseUrl: string;
  readonly counters: Readonly<{
    requests: number;
    refused: number;
    completed: number;
    aborted: number;
    /** TCP connections that were ever opened. */
    connections: number;
    /** Answers that are being given now. */
    active: number;
    characters: number;
  }>;
  readonly faults: OpenAiSpeechFaults;
  /** The accepted requests, newest last; at most the last hundred. */
  readonly requests: readonly SpeechRequest[];
  /** Tears all open connections. */
  dropConnections(): void;
}

/** Serves OpenAI's `/v1/audio/speech` on loopback, as raw PCM at 24 kHz, by a tone. */
export async function startOpenAiSpeechEmulator(
  options: OpenAiSpeechEmulatorOptions = {},
): Promise<OpenAiSpeechEmulator> {
  const { server, running } = await listen(options.port ?? 0);
  const emulation = new Emulation(options);
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    emulation.counters.connections += 1;
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  server.on('request', (request, response) => {
    emulation.serve(request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined);
    });
  });
  const { counters, faults, requests } = emulation;
  return {
    ...running,
    baseUrl: `${running.url}/v1`,
    counters,
    faults,
    requests,
    dropConnections() {
      for (const socket of open) socket.destroy();
    },
  };
}

class Emulation {
  readonly counters = {
    requests: 0,
    refused: 0,
    completed: 0,
    aborted: 0,
    connections: 0,
    active: 0,
    characters: 0,
  };
  readonly faults: OpenAiSpeechFaults = {
    ...noSpeechFaults(),
    failNext: 0,
    failStatus: 500,
    retryAfterSeconds: null,
    pageNext: 0,
  };
  readonly requests: SpeechRequest[] = [];
  readonly #options: OpenAiSpeechEmulatorOptions;
  readonly #clock: Clock;
  readonly #pace: Pace;
  readonly #voice = createToneVoice();

  constructor(options: OpenAiSpeechEmulatorOptions) {
    const { firstAudioDelayMs = 0, speed = 10, chunkMs = 250, clock = systemClock } = options;
    this.#options = options;
    this.#clock = clock;
    this.#pace = { firstAudioDelayMs, speed, chunkMs };
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.counters.requests += 1;
    const body = (await readBody(request, MAX_BODY_BYTES)).toString('utf8');
    const refusal = this.#refusal(request);
    if (refusal) {
      this.counters.refused += 1;
      sendError(response, ...refusal);
      return;
    }
    if (this.faults.failNext > 0) {
      this.faults.failNext -= 1;
      const { retryAfterSeconds, failStatus } = this.faults;
      if (retryAfterSeconds !== null) response.setHeader('retry-after', retryAfterSeconds);
      sendError(response, failStatus, 'failed on purpose');
      return;
    }
    const parsed = parseSpeechRequest(body);
    if ('problem' in parsed) {
      this.counters.refused += 1;
      sendError(response, 400, parsed.problem);
      return;
    }
    this.requests.push(parsed);
    if (this.requests.length > 100) this.requests.shift();
    this.counters.characters += parsed.input.length;
    await this.#answer(parsed, response);
  }

  #refusal({ headers, method, url }: IncomingMessage): [number, string] | undefined {
    const key = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1];
    const { apiKeys } = this.#options;
    if (key === undefined) return [401, "You didn't provide an API key."];
    if (apiKeys && !apiKeys.includes(key)) return [401, 'Incorrect API key provided.'];
    if (requestUrl({ url } as IncomingMessage).pathname !== '/v1/audio/speech') return [404, 'Invalid URL'];
    if (method !== 'POST') return [405, 'Not allowed'];
    if (!headers['content-type']?.startsWith('application/json')) return [415, 'The request must be JSON.'];
    return undefined;
  }

  async #answer(request: SpeechRequest, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.on('close', () => gone.abort(new Error('the client went away')));
    this.counters.active += 1;
    try {
      await this.#speak(request, response, gone.signal);
    } catch (error) {
      if (!gone.signal.aborted) throw error;
      this.counters.aborted += 1;
    } finally {
      this.counters.active -= 1;
    }
  }

  async #speak({ input }: SpeechRequest, response: ServerResponse, gone: AbortSignal): Promise<void> {
    if (this.faults.pageNext > 0) {
      this.faults.pageNext -= 1;
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Maintenance</html>');
      return;
    }
    const fault = takeSpeechFault(this.faults);
    if (fault === 'stall') await fallSilent(this.#clock, gone);
    const { audio } = await this.#voice.render(input, gone);
    const spoken = convertAudio(audio, { from: PCMU_8K, to: L16_24K });
    let audioMs = 0;
    for await (const piece of pacedAudio(spoken, L16_24K, this.#pace, this.#clock, gone)) {
      if (fault !== undefined && audioMs >= this.faults.afterAudioMs) {
        await this.#breakOff(fault, response);
        return;
      }
      if (!response.headersSent) response.writeHead(200, { 'content-type': 'audio/pcm' });
      response.write(piece.audio);
      audioMs += piece.audioMs;
    }
    response.end();
    this.counters.completed += 1;
  }

  /** A body that has begun can only end: an error before it is a status, one in its midst tears it. */
  async #breakOff(fault: SpeechFault, response: ServerResponse): Promise<void> {
    if (fault === 'freeze') await once(response, 'close');
    else if (fault === 'error' && !response.headersSent) sendError(response, 500, 'failed on purpose');
    else response.destroy();
  }
}

function sendError(response: ServerResponse, status: number, message: string): void {
  const type = status === 429 ? 'requests' : status >= 500 ? 'server_error' : 'invalid_request_error';
  const body = { error: { message, type, param: null, code: null } };
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
