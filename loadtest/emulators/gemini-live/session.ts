import type { SoundOfPhrase } from '../recognition/phrase-track.js';
import { Answering, type AnsweringContext, type ServerMessage } from './answering.js';
import { CallerAudio } from './caller-audio.js';
import { CallerTurns } from './caller-turns.js';
import { type ClientMessage, INVALID_ARGUMENT, type RealtimeInput, type Refusal } from './client-message.js';
import { type Memory, withAnswer, withCallerWords, withCalls, withContent, withResult } from './model.js';
import type { ModelTraits } from './models.js';
import { type knownPhrases, PhraseRecogniser } from './phrase-recogniser.js';
import type { Setup, ToolList } from './setup-message.js';
import { SoundPhraseRecogniser } from './sound-phrase-recogniser.js';
import { usageOf } from './usage.js';

const RECOGNISER_RATE = 16_000;

export interface LiveSessionOptions {
  readonly setup: Setup;
  readonly traits: ModelTraits;
  readonly memory: Memory;
  readonly phrases: ReturnType<typeof knownPhrases>;
  /** Understands by these in place of the phrases' exact sound. */
  readonly sounds: readonly SoundOfPhrase[] | undefined;
  readonly context: AnsweringContext;
  readonly transcriptionDelayMs: number;
  send(message: ServerMessage): void;
  refuse(refusal: Refusal): void;
  tear(): void;
  /** Keeps the memory under a new handle; undefined where resumption was not asked for. */
  keep(memory: Memory): string | undefined;
}

/** One conversation with the model, over one connection. */
export class LiveSession {
  readonly #options: LiveSessionOptions;
  readonly #turns: CallerTurns;
  readonly #mayInterrupt: boolean;
  #memory: Memory;
  #tools: ToolList;
  #answering: Answering | undefined;
  /** Calls that the model waits for. */
  #pending = new Map<string, string>();
  #nextCall = 1;
  /** `initialHistoryInClientContent`: content is history until a turn is complete. */
  #inHistory: boolean;
  #spoke = false;
  readonly #callerAudio = new CallerAudio(RECOGNISER_RATE);
  #callerMs = 0;
  #answerAfterThis = false;

  constructor(options: LiveSessionOptions) {
    const { setup } = options;
    this.#options = options;
    this.#memory = options.memory;
    this.#tools = setup.tools ?? [];
    this.#inHistory = setup.historyConfig?.initialHistoryInClientContent ?? false;
    this.#mayInterrupt = setup.realtimeInputConfig?.activityHandling !== 'NO_INTERRUPTION';
    this.#turns = new CallerTurns({
      recogniser: options.sounds
        ? new SoundPhraseRecogniser(options.sounds)
        : new PhraseRecogniser(options.phrases, RECOGNISER_RATE),
      detection: setup.realtimeInputConfig?.automaticActivityDetection,
      onStart: () => this.#activityStarted(),
      onWords: (text) => this.#recognised(text),
      onEnd: (words) => this.#turnEnded(words),
    });
    this.#offerResumption();
  }

  get memory(): Memory {
    return this.#memory;
  }

  take(message: ClientMessage): void {
    if (message.setup) this.#options.refuse(INVALID_ARGUMENT);
    else if (message.clientContent) this.#content(message.clientContent);
    else if (message.realtimeInput) this.#realtime(message.realtimeInput);
    else if (message.toolResponse) this.#results(message.toolResponse.functionResponses);
    else if (message.contextUpdate) this.#update(message.contextUpdate);
  }

  close(): void {
    this.#answering?.interrupt();
    this.#answering = undefined;
  }

  #content({ turns = [], turnComplete = false }: NonNullable<ClientMessage['clientContent']>): void {
    const { traits, refuse } = this.#options;
    if (this.#pending.size > 0 && !traits.inputCancelsCalls) {
      refuse(NOT_IMPLEMENTED);
      return;
    }
    // `clientContent` interrupts whatever is being generated (SDK: LiveClientContent).
    this.#interrupt();
    this.#cancelCalls();
    for (const turn of turns) this.#memory = withContent(this.#memory, turn);
    if (this.#inHistory) {
      if (turnComplete) this.#inHistory = false;
      this.#offerResumption();
      return;
    }
    if (turnComplete) this.#answer();
    else this.#offerResumption();
  }

  #realtime(input: RealtimeInput): void {
    const { traits, refuse } = this.#options;
    if ((input.activityStart || input.activityEnd) && this.#turns.automatic) {
      refuse({
        code: 1007,
        reason: 'Explicit activity control is not supported when automatic activity detection is enabled.',
      });
      return;
    }
    if (this.#inHistory || (input.audioStreamEnd !== undefined && !this.#turns.automatic)) {
      refuse(INVALID_ARGUMENT);
      return;
    }
    if (this.#pending.size > 0 && !traits.inputCancelsCalls) {
      refuse(NOT_IMPLEMENTED);
      return;
    }
    // A start within a turn, and an end outside of one: what the original does is not documented; refused here.
    if (input.activityStart) {
      if (this.#turns.active) refuse(INVALID_ARGUMENT);
      else this.#turns.start();
    }
    if (input.audio && !this.#audio(input.audio)) return;
    if (input.text !== undefined) {
      this.#memory = withContent(this.#memory, { role: 'user', parts: [{ text: input.text }] });
      if (this.#turns.automatic) this.#answer();
    }
    if (input.activityEnd) {
      if (this.#turns.active) this.#turns.end();
      else refuse(INVALID_ARGUMENT);
    }
    if (input.audioStreamEnd && this.#turns.active) this.#turns.end();
  }

  #audio(audio: { data: string; mimeType: string }): boolean {
    const decoded = this.#callerAudio.decode(audio);
    if (!decoded) {
      this.#options.refuse({ code: 1007, reason: `Unsupported audio format '${audio.mimeType}'` });
      return false;
    }
    this.#callerMs += decoded.ms;
    this.#options.context.counters.audioMs += decoded.ms;
    this.#turns.audio(decoded.samples);
    return true;
  }

  #results(responses: NonNullable<ClientMessage['toolResponse']>['functionResponses']): void {
    for (const { id, name, response } of responses) {
      if (this.#pending.get(id) !== name) {
        // Seen as 1008 "Requested entity was not found." when results come for calls that are no more.
        this.#options.refuse({ code: 1008, reason: 'Requested entity was not found.' });
        return;
      }
      this.#pending.delete(id);
      this.#memory = withResult(this.#memory, id, response);
    }
    if (this.#pending.size === 0) this.#answer();
  }

  #update({ systemInstruction, tools }: NonNullable<ClientMessage['contextUpdate']>): void {
    if (!this.#options.traits.updatesContext) {
      this.#options.refuse(INVALID_ARGUMENT);
      return;
    }
    if (systemInstruction) {
      const instruction = systemInstruction.parts.map((part) => ('text' in part ? part.text : '')).join('\n');
      this.#memory = { ...this.#memory, instruction };
    }
    if (tools) this.#tools = tools.tools ?? [];
  }

  #activityStarted(): void {
    if (this.#mayInterrupt) this.#interrupt();
    this.#cancelCalls();
  }

  #recognised(text: string): void {
    if (!this.#options.setup.inputAudioTranscription) return;
    const { clock } = this.#options.context;
    const message = { serverContent: { inputTranscription: { text: ` ${text}` } } };
    const { transcriptionDelayMs: delayMs, send } = this.#options;
    if (delayMs === 0) send(message);
    else clock.schedule(delayMs, () => send(message));
  }

  #turnEnded(words: string): void {
    this.#options.context.counters.turns += 1;
    this.#memory = withCallerWords(this.#memory, words);
    // Without interruption the answer under way is finished first.
    if (this.#answering) this.#answerAfterThis = true;
    else this.#answer();
  }

  /** Cuts the answer under way: `interrupted`, then `turnComplete`, and no `generationComplete`. */
  #interrupt(): void {
    const answering = this.#answering;
    if (!answering) return;
    answering.interrupt();
    this.#answering = undefined;
    this.#options.context.counters.interrupted += 1;
    // The session keeps what was already sent.
    this.#memory = withAnswer(this.#memory, answering.said.trim());
    this.#options.send({ serverContent: { interrupted: true } });
    this.#turnComplete(answering.audioMs);
  }

  #cancelCalls(): void {
    if (this.#pending.size === 0) return;
    const ids = [...this.#pending.keys()];
    this.#pending.clear();
    this.#options.send({ toolCallCancellation: { ids } });
  }

  #answer(): void {
    const { context, traits, setup, send } = this.#options;
    context.counters.answers += 1;
    if (setup.sessionResumption) send({ sessionResumptionUpdate: {} });
    const answering = new Answering({
      context,
      traits,
      memory: this.#memory,
      tools: this.#tools,
      transcribe: setup.outputAudioTranscription !== undefined,
      send,
      breakConnection: (how) => {
        if (how === 'tear') this.#options.tear();
        else this.#options.refuse({ code: 1011, reason: 'Internal error encountered.' });
      },
    });
    this.#answering = answering;
    this.#spoke = true;
    void this.#run(answering);
  }

  async #run(answering: Answering): Promise<void> {
    const answer = await answering.speak();
    if (!answer || this.#answering !== answering) return;
    if (answer.calls.length > 0) {
      this.#answering = undefined;
      this.#call(answering.said.trim(), answer.calls);
      return;
    }
    if (answer.rejected) {
      this.#answering = undefined;
      this.#options.send({ serverContent: { turnComplete: true, turnCompleteReason: 'RESPONSE_REJECTED' } });
      this.#offerResumption();
      return;
    }
    this.#options.send({ serverContent: { generationComplete: true } });
    if (!(await answering.playOut()) || this.#answering !== answering) return;
    this.#answering = undefined;
    this.#memory = withAnswer(this.#memory, answering.said.trim());
    this.#turnComplete(answering.audioMs);
    if (this.#answerAfterThis) {
      this.#answerAfterThis = false;
      this.#answer();
    }
  }

  #call(text: string, calls: readonly { name: string; args: Readonly<Record<string, unknown>> }[]): void {
    const functionCalls = calls.map((call) => ({ id: `function-call-${this.#nextCall++}`, ...call }));
    this.#memory = withCalls(this.#memory, text, functionCalls);
    for (const { id, name } of functionCalls) this.#pending.set(id, name);
    this.#options.context.counters.toolCalls += functionCalls.length;
    this.#options.send({ toolCall: { functionCalls } });
  }

  #turnComplete(answerMs: number): void {
    this.#options.send({
      serverContent: { turnComplete: true },
      usageMetadata: usageOf(this.#memory, this.#callerMs, answerMs),
    });
    this.#callerMs = 0;
    this.#offerResumption();
  }

  #offerResumption(): void {
    // A session in which nothing was generated yet has nothing that could be resumed.
    if (!this.#spoke && this.#memory.messages.length === 0) return;
    const newHandle = this.#options.keep(this.#memory);
    if (newHandle !== undefined)
      this.#options.send({ sessionResumptionUpdate: { newHandle, resumable: true } });
  }
}

/** Seen with models before 3.8 when input comes while a function call is unanswered. */
const NOT_IMPLEMENTED: Refusal = {
  code: 1008,
  reason: 'Operation is not implemented, or supported, or enabled.',
};
