import { AudioConverter } from '@voice/shared/audio/converter';
import { type AudioFormat, L16_24K } from '@voice/shared/audio/format';
import type { Clock } from '@voice/shared/clock/clock';
import type { RealtimeEvent, RealtimeOptions } from '../port.js';
import type { CallerTranscript } from './caller-transcript.js';
import { liveError } from './errors.js';
import type { Generation, Generations } from './generations.js';
import type { ServerContent, ServerMessage } from './messages.js';
import type { ToolCalls } from './tool-calls.js';
import { usageOf } from './usage.js';

/** For how long after an answer pieces of the turn's transcription may still come, in ms. */
const LATE_PIECE_MS = 1000;
/** `turnCompleteReason` of answers that were not given (an enum of many; these are their words). */
const NO_ANSWER = /MALFORMED|PROHIBITED|REJECTED|SAFETY|BLOCK/;

export interface ServerEventsOptions {
  readonly clock: Clock;
  /** Of the line. */
  readonly format: AudioFormat;
  readonly turnDetection: RealtimeOptions['turnDetection'];
  readonly generations: Generations;
  readonly transcript: CallerTranscript;
  readonly calls: ToolCalls;
  publish(event: RealtimeEvent): void;
  /** Gives the next number to an answer that nobody asked for. */
  claim(generation: Generation): void;
  /** Called when the server's turn is over. */
  onTurnOver(): void;
  /** Called when the model waits no longer for calls; `late` are results that it was not given. */
  onCallsCancelled(late: readonly string[]): void;
}

/** Translates what the server says to the port's events. */
export class ServerEvents {
  readonly #options: ServerEventsOptions;
  #converter: AudioConverter;
  #speaking = false;
  /** When the last answer was complete; undefined while one comes. */
  #completeAt: number | undefined;

  constructor(options: ServerEventsOptions) {
    this.#options = options;
    this.#converter = this.#newConverter();
  }

  take(message: ServerMessage): void {
    const { publish } = this.#options;
    if (message.voiceActivity?.voiceActivityType === 'ACTIVITY_START') this.#speechStarted();
    if (message.serverContent) this.#content(message.serverContent);
    if (message.toolCall) this.#called(message.toolCall.functionCalls);
    if (message.toolCallCancellation) this.#callsCancelled(message.toolCallCancellation.ids);
    if (message.usageMetadata) publish({ type: 'usage', usage: usageOf(message.usageMetadata) });
    if (message.serverContent?.turnComplete) this.#turnComplete(message.serverContent.turnCompleteReason);
  }

  /** Forgets what was under way: the connection is another one. `saidAgain`: the caller's turn is sent again. */
  reset(saidAgain: boolean): void {
    this.#converter = this.#newConverter();
    const { transcript } = this.#options;
    // With the provider's turn detection complete words are those of the turn before.
    if (saidAgain && (this.#ours || transcript.open)) transcript.again();
  }

  get #ours(): boolean {
    return this.#options.turnDetection === 'ours';
  }

  #content({
    interrupted,
    inputTranscription,
    outputTranscription,
    modelTurn,
    generationComplete,
  }: ServerContent) {
    if (inputTranscription) {
      if (this.#isOfNewTurn) this.#speechStarted();
      this.#options.transcript.piece(inputTranscription.text, inputTranscription.finished);
    }
    if (interrupted) this.#options.generations.interrupted();
    if (outputTranscription?.text) this.#answer({ type: 'text', delta: outputTranscription.text });
    for (const part of modelTurn?.parts ?? []) {
      if (part.inlineData && !part.thought) this.#speech(part.inlineData.data);
    }
    if (generationComplete) this.#complete();
  }

  /**
   * Returns with the provider's turn detection a piece of the transcription is often the first that is heard of a turn.
   */
  get #isOfNewTurn(): boolean {
    const { transcript, generations, clock } = this.#options;
    if (transcript.open) return false;
    // While an answer comes, and shortly after, it is what the answer is to.
    if (this.#completeAt === undefined) return !generations.busy;
    return clock.monotonic() - this.#completeAt > LATE_PIECE_MS;
  }

  #speech(data: string): void {
    const audio = this.#converter.convert(Buffer.from(data, 'base64'));
    if (audio.length > 0) this.#answer({ type: 'audio', audio });
  }

  #answer(piece: Parameters<Generations['content']>[0]): void {
    this.#completeAt = undefined;
    const generation = this.#options.generations.content(piece);
    if (generation.origin === 'unasked' && !generation.unasked) this.#unasked(generation);
  }

  /** Ends the caller's turn: with the provider's turn detection the answer shows that it was over. */
  #unasked(generation: Generation): void {
    generation.unasked = true;
    if (this.#ours) {
      generation.dropped = true;
      return;
    }
    if (!this.#speaking) this.#speechStarted();
    this.#speaking = false;
    this.#options.publish({ type: 'end_of_turn' });
    // It may have been asked for while it was announced.
    if (generation.response === undefined) this.#options.claim(generation);
    else generation.unasked = false;
  }

  #speechStarted(): void {
    if (this.#ours || this.#speaking) return;
    this.#speaking = true;
    this.#options.transcript.next();
    this.#options.publish({ type: 'speech_started' });
  }

  #complete(): void {
    this.#flushSpeech();
    this.#options.transcript.close();
    this.#completeAt = this.#options.clock.monotonic();
    this.#options.generations.complete();
  }

  /** Sends what the conversion still holds of an answer. */
  #flushSpeech(): void {
    const rest = this.#converter.flush();
    if (rest.length > 0 && this.#options.generations.busy) this.#answer({ type: 'audio', audio: rest });
    this.#converter = this.#newConverter();
  }

  #turnComplete(reason: string | undefined): void {
    this.#options.transcript.close();
    this.#converter = this.#newConverter();
    const failed = reason !== undefined && NO_ANSWER.test(reason);
    this.#options.generations.turnComplete(
      failed ? liveError('unavailable', 'gemini gave no answer', true, new Error(reason)) : undefined,
    );
    this.#options.onTurnOver();
  }

  #called(calls: readonly { id: string; name: string; args: Record<string, unknown> }[]): void {
    if (calls.length === 0) return;
    this.#flushSpeech();
    this.#options.calls.add(calls);
    for (const { id, name, args } of calls) {
      this.#answer({ type: 'tool_call', call: { id, name, arguments: JSON.stringify(args) } });
    }
    // The model waits now: as far as anybody can hear this answer is over.
    this.#complete();
  }

  #callsCancelled(ids: readonly string[]): void {
    const { calls, generations } = this.#options;
    const late = calls.cancel(ids);
    if (!calls.waiting) generations.endOfCalls();
    this.#options.onCallsCancelled(late);
  }

  #newConverter(): AudioConverter {
    return new AudioConverter({ from: L16_24K, to: this.#options.format });
  }
}
