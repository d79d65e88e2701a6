import { type AudioFormat, bytesPerMs } from '@voice/shared/audio/format';
import type { Clock } from '@voice/shared/clock/clock';
import { ProviderError } from '../../providers/provider-error.js';
import type { RespondRequest } from '../../providers/realtime/port.js';
import type { TurnListener } from '../port.js';
import type { Response, ResponseSink, SessionLink } from './session-link.js';

/** Silence in mid-answer, when all that came may have been heard, that a model which has stalled is known by, in ms. */
const STALLED_MS = 2000;
/** The longest answer that is kept, in bytes of its audio and characters of its words: minutes at any rate. */
const LONGEST_AUDIO_BYTES = 32 * 1024 * 1024;
const LONGEST_TEXT = 100_000;

export interface ResponseTurnOptions {
  readonly link: SessionLink;
  readonly clock: Clock;
  readonly provider: string;
  readonly request: RespondRequest | undefined;
  /** How long the response may take to begin, in ms. */
  readonly firstOutputMs: number;
  /** Of the response's audio. */
  readonly format: AudioFormat;
  readonly listener: TurnListener;
  /** The model may have nothing to say: the result of its tool needs no word. */
  readonly mayBeSilent: boolean;
  /** The first audio or tool call is there. */
  readonly onFirst: () => void;
  /** All of what it said. */
  readonly onSaid: (text: string) => void;
}

/**
 * Starts one turn of the agent as one response of the model. Resolves when all audio was passed on; an abort cancels
 * the response and resolves.
 * @returns the response as soon as it is asked for, and its end
 */
export function startResponse(
  options: ResponseTurnOptions,
  signal: AbortSignal,
): { readonly response: Response; readonly finished: Promise<void> } {
  const { link, clock, provider, request, firstOutputMs, format, listener, mayBeSilent, onFirst, onSaid } =
    options;
  let said = '';
  /** Up to where `said` was passed on. */
  let handedOn = 0;
  let first = true;
  let audioBytes = 0;
  let isGivenUp = false;
  /** When the first output is due, or the next; monotonic. Once it has begun, it only moves on. */
  let dueAt = clock.monotonic() + firstOutputMs;
  /** When all that came has been heard, if it is heard as it comes; monotonic. */
  let heardAt = 0;
  let settle: { resolve(): void; reject(error: unknown): void };
  const finished = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  const handOn = (end: number) => {
    if (end <= handedOn) return;
    const words = said.slice(handedOn, end).trim();
    handedOn = end;
    if (words !== '') listener.onSentence(words);
  };
  const begin = () => {
    if (!first) return;
    first = false;
    deadline.cancel();
    deadline = clock.schedule(STALLED_MS, checkDeadline);
    listener.onFirstToken();
    if (request?.verbatim !== undefined) listener.onSentence(request.verbatim);
    onFirst();
  };
  const expectMore = (audioBytesNow: number) => {
    const now = clock.monotonic();
    heardAt = Math.max(heardAt, now) + audioBytesNow / bytesPerMs(format);
    dueAt = heardAt + STALLED_MS;
  };
  const end = (outcome: () => void) => {
    deadline.cancel();
    signal.removeEventListener('abort', cancel);
    outcome();
  };
  /** Gives up an answer without an end, which a server that a tenant runs may give. */
  const isTooLong = () => {
    if (isGivenUp || (audioBytes <= LONGEST_AUDIO_BYTES && said.length <= LONGEST_TEXT)) return isGivenUp;
    isGivenUp = true;
    response.cancel();
    end(() => settle.reject(failure('protocol_violation', 'The model answers without an end.')));
    return true;
  };
  const sink: ResponseSink = {
    onAudio(audio) {
      audioBytes += audio.length;
      if (isTooLong()) return;
      expectMore(audio.length);
      begin();
      // The model is faster than speech and cannot be held back: what it makes is kept by the turn.
      void listener.onAudio({ audio });
    },
    onText(delta) {
      if (isGivenUp) return;
      said += delta;
      if (isTooLong()) return;
      // Words without a sound of them are no beginning.
      if (!first) expectMore(0);
      if (request?.verbatim !== undefined) return;
      // Word by word, for its audio is there already: who interrupts has heard the words, be the sentence whole or not.
      handOn(handedOn + said.slice(handedOn).search(/\s\S*$/));
    },
    onToolCallPart() {
      expectMore(0);
    },
    onToolCall(call) {
      expectMore(0);
      begin();
      listener.onToolCall(call);
    },
    onFinished(outcome, error) {
      if (isGivenUp) return;
      if (outcome === 'failed') {
        end(() =>
          settle.reject(error ?? failure('unavailable', 'The model ended its answer with an error.')),
        );
        return;
      }
      if (outcome === 'completed' && first && said.trim() === '' && !mayBeSilent) {
        end(() => settle.reject(failure('protocol_violation', 'The model ended its answer without a word.')));
        return;
      }
      if (request?.verbatim === undefined) handOn(said.length);
      listener.onGenerated();
      onSaid(said);
      end(() => settle.resolve());
    },
  };
  const failure = (code: string, message: string) =>
    new ProviderError({ provider, kind: 'realtime', code, message, retryable: true });
  const cancel = () => {
    response.cancel();
    end(() => settle.resolve());
  };
  // Not set anew with each output: it is looked at when it fires.
  const checkDeadline = () => {
    const leftMs = dueAt - clock.monotonic();
    if (leftMs > 0) {
      deadline = clock.schedule(leftMs, checkDeadline);
      return;
    }
    const what = first
      ? `did not begin to answer within ${Math.round(firstOutputMs)} ms`
      : 'fell silent in mid-answer';
    response.cancel();
    end(() => settle.reject(failure('timed_out', `The model ${what}.`)));
  };
  let deadline = clock.schedule(firstOutputMs, checkDeadline);
  const response = link.respond(request, sink);
  signal.addEventListener('abort', cancel, { once: true });
  return { response, finished };
}
