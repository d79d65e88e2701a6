import type { Clock } from '@voice/shared/clock/clock';
import type { LocalVoice } from '@voice/shared/local-voice/local-voice';
import type { Log } from '@voice/shared/log/log';
import type { NetworkName } from '../media/network.js';
import type { FrameTicker } from '../media/ticker.js';
import type { Phrasebook } from '../people/phrasebook.js';
import type { SpeechDetector } from '../people/speech-detector.js';
import type { PeopleVoices } from '../people/voices.js';
import type { Conferences } from './conferences.js';

/** What all calls of the carrier share. */
export interface Exchange {
  readonly accountSid: string;
  readonly authToken: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly ticker: FrameTicker;
  /** Takes a second or two after the start; nobody answers before. */
  readonly phrasebook: Promise<Phrasebook>;
  readonly people: PeopleVoices;
  readonly localVoice: LocalVoice;
  readonly createSpeechDetector: () => SpeechDetector;
  readonly conferences: Conferences;
  /** Over which calls come for which no other was asked. */
  readonly network: NetworkName;
  /** Without media, an answered call is silent, opens no stream and ends by itself: for load on the signalling. */
  readonly media: boolean;
  /** Ends with the carrier. */
  readonly signal: AbortSignal;
}
