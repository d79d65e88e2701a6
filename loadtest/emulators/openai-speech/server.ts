import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { convertAudio } from '@voice/shared/audio/converter';
import { L16_24K, PCMU_8K } from '@voice/shared/audio/format';
import { type Clock, systemClock } from '@voice/shared/clock/clock';
import {
  type AnswerCounters,
  type AnsweringVendor,
  bearerKey,
  noAnswers,
  noRequestFaults,
  type Refusal,
  type RequestFaults,
  sendJson,
  startAnswering,
} from '../serving/answering.js';
import { type RunningEmulator, requestUrl } from '../serving/http-server.js';
import { fallSilent, type Pace, pacedAudio } from '../serving/paced-audio.js';
import {
  noSpeechFaults,
  type SpeechFault,
  type SpeechFaults,
  takeSpeechFault,
} from '../serving/speech-faults.js';
import { createToneVoice } from '../synthesis/tone-voice.js';
import { parseSpeechRequest, type SpeechRequest } from './request.js';

interface OpenAiSpeechEmulatorOptions extends Partial<Pace> {
  /** 0 takes a free one. */
  readonly port?: number;
  /** The accepted keys; any when undefined. */
  readonly apiKeys?: readonly string[];
  readonly clock?: Clock;
}

type FailStatus = 400 | 401 | 429 | 500 | 503;

interface OpenAiSpeechFaults extends SpeechFaults, RequestFaults<FailStatus> {
  /** Takes this many requests and answers them with a page of text. */
  pageNext: number;
}

interface OpenAiSpeechCounters extends AnswerCounters {
  characters: number;
}

export interface OpenAiSpeechEmulator extends RunningEmulator {
  /** What `base_url` must be. */
  readonly baseUrl: string;
  readonly counters: Readonly<OpenAiSpeechCounters>;
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
  const emulation = new Emulation(options);
  const { running, requests, sockets } = await startAnswering(options, emulation);
  const { counters, faults } = emulation;
  return {
    ...running,
    baseUrl: `${running.url}/v1`,
    counters,
    faults,
    requests,
    dropConnections() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

class Emulation implements AnsweringVendor<SpeechRequest, number> {
  readonly maxBodyBytes = 100_000;
  readonly counters: OpenAiSpeechCounters = { ...noAnswers(), characters: 0 };
  readonly faults: OpenAiSpeechFaults = { ...noSpeechFaults(), ...noRequestFaults(), pageNext: 0 };
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

  refusalOf(request: IncomingMessage): Refusal<number> | undefined {
    const key = bearerKey(request);
    const { apiKeys } = this.#options;
    if (key === undefined) return { status: 401, message: "You didn't provide an API key." };
    if (apiKeys && !apiKeys.includes(key)) return { status: 401, message: 'Incorrect API key provided.' };
    if (requestUrl(request).pathname !== '/v1/audio/speech') return { status: 404, message: 'Invalid URL' };
    if (request.method !== 'POST') return { status: 405, message: 'Not allowed' };
    if (!request.headers['content-type']?.startsWith('application/json'))
      return { status: 415, message: 'The request must be JSON.' };
    return undefined;
  }

  parse(body: string): ReturnType<AnsweringVendor<SpeechRequest, number>['parse']> {
    const asked = parseSpeechRequest(body);
    return 'problem' in asked ? { refusal: { status: 400, message: asked.problem } } : { asked };
  }

  sendError(response: ServerResponse, { status, message }: Refusal<number>): void {
    const type = status === 429 ? 'requests' : status >= 500 ? 'server_error' : 'invalid_request_error';
    sendJson(response, status, { error: { message, type, param: null, code: null } });
  }

  async answer({ input }: SpeechRequest, response: ServerResponse, gone: AbortSignal): Promise<void> {
    this.counters.characters += input.length;
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
    else if (fault === 'error' && !response.headersSent)
      this.sendError(response, { status: 500, message: 'failed on purpose' });
    else response.destroy();
  }
}
