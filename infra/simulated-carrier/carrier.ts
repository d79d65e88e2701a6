import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type Clock, systemClock } from '@voice/shared/clock/clock';
import type { PiperFiles } from '@voice/shared/local-models/local-models';
import { type LocalVoice, startLocalVoice } from '@voice/shared/local-voice/local-voice';
import type { Log } from '@voice/shared/log/log';
import { Conferences } from './calls/conferences.js';
import { CallRegistry } from './calls/registry.js';
import type { NetworkName } from './media/network.js';
import { FrameTicker } from './media/ticker.js';
import { PEOPLE, type People } from './people/people.js';
import { Phrasebook } from './people/phrasebook.js';
import { loadSpeechDetector } from './people/speech-detector.js';
import { PeopleVoices } from './people/voices.js';
import { createRestServer } from './rest/server.js';

/** How long callbacks of calls that end with the carrier may take, in ms. */
const DRAIN_MS = 3000;

export interface SimulatedCarrierOptions {
  /** 0 takes a free one. */
  readonly port: number;
  readonly accountSid: string;
  readonly authToken: string;
  readonly log: Log;
  readonly clock?: Clock;
  /** Default true; false for load on the signalling alone. */
  readonly media?: boolean;
  /** What is between people and workers; default: good. */
  readonly network?: NetworkName;
  /** A neural voice that people can be given; none by default. */
  readonly voiceModel?: PiperFiles | undefined;
  /** Where what they say is kept beyond the process; nowhere by default. */
  readonly spokenTexts?: string | undefined;
  /** Default: one of its own. */
  readonly localVoice?: LocalVoice;
  /** Who answers the test numbers, in place of the usual people. */
  readonly people?: People;
}

export interface SimulatedCarrier {
  readonly port: number;
  /** Base URL of its REST API; the captions are at the same place under ws. */
  readonly url: string;
  /** Hangs up all calls, sends their last callbacks, and stops. Idempotent. */
  close(): Promise<void>;
}

/** Starts the carrier on loopback: its people, its REST API and its media streams. */
export async function startSimulatedCarrier(options: SimulatedCarrierOptions): Promise<SimulatedCarrier> {
  const { log, clock = systemClock, people = PEOPLE } = options;
  const localVoice =
    options.localVoice ?? startLocalVoice({ model: options.voiceModel, keepIn: options.spokenTexts });
  const stopping = new AbortController();
  const calls = new CallRegistry();
  const phrasebook = localVoice.ready().then(() => Phrasebook.render(Object.values(people), localVoice));
  phrasebook.catch((error: unknown) => {
    if (!stopping.signal.aborted)
      log.error({ err: String(error) }, 'the people have no voice: no call will be answered');
  });
  const createSpeechDetector = await loadSpeechDetector();
  const exchange = {
    accountSid: options.accountSid,
    authToken: options.authToken,
    clock,
    log,
    ticker: new FrameTicker(clock),
    phrasebook,
    people: new PeopleVoices({ people, localVoice, phrasebook, modelVoice: options.voiceModel?.name }),
    localVoice,
    createSpeechDetector,
    conferences: new Conferences(clock),
    network: options.network ?? 'good',
    media: options.media ?? true,
    signal: stopping.signal,
  };
  const server = createRestServer(exchange, calls, log);
  server.listen(options.port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    stopping.abort();
    if (!options.localVoice) localVoice.close();
    throw error;
  }
  const { port } = server.address() as AddressInfo;

  let closing: Promise<void> | undefined;
  const close = async () => {
    const drained = new AbortController();
    await Promise.race([calls.endAll(), clock.sleep(DRAIN_MS, drained.signal).catch(() => {})]);
    drained.abort();
    stopping.abort();
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
    if (!options.localVoice) localVoice.close();
  };
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    close() {
      closing ??= close();
      return closing;
    },
  };
}
