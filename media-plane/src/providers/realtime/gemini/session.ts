import { bytesPerMs } from '@voice/shared/audio/format';
import type { LlmTool } from '@voice/shared/language-model/conversation';
import type { ProviderError } from '../../provider-error.js';
import type {
  RealtimeEvent,
  RealtimeHistoryItem,
  RealtimeOptions,
  RealtimeSession,
  RespondRequest,
} from '../port.js';
import { CallerAudio } from './caller-audio.js';
import { CallerStream } from './caller-stream.js';
import { CallerTranscript } from './caller-transcript.js';
import { type Generation, Generations } from './generations.js';
import { ModelContext } from './model-context.js';
import type { ModelTraits } from './models.js';
import { content, goOn, historyTurn, noise, note, sayExactly, type Turn } from './notes.js';
import { control, type OutboxMessage } from './outbox.js';
import { ResumableLink, type ResumableLinkOptions } from './resumable-link.js';
import { ServerEvents } from './server-events.js';
import { toolList } from './setup.js';
import { ToolCalls } from './tool-calls.js';

/** What is kept of a turn, to be said again over another connection (30 s). */
const TURN_MESSAGES = 1500;

export interface GeminiLiveSessionSettings extends Pick<ResumableLinkOptions, 'url' | 'lookup' | 'backoff'> {
  readonly traits: ModelTraits;
  setup(state: { tools: readonly LlmTool[]; handle?: string }): Record<string, unknown>;
}

/** Runs one call's session with Gemini Live, over as many connections as it takes. */
export class GeminiLiveSession implements RealtimeSession {
  readonly #options: RealtimeOptions;
  readonly #traits: ModelTraits;
  readonly #link: ResumableLink;
  readonly #audio: CallerAudio;
  readonly #stream: CallerStream;
  readonly #generations: Generations;
  readonly #context = new ModelContext();
  readonly #transcript: CallerTranscript;
  readonly #server: ServerEvents;
  readonly #calls = new ToolCalls();
  #tools: readonly LlmTool[];
  /** Messages of the caller's turn in progress. */
  #turn: OutboxMessage[] = [];
  #responses = 0;
  #audioMs = 0;
  #closed = false;

  constructor(options: RealtimeOptions, settings: GeminiLiveSessionSettings) {
    this.#options = options;
    this.#traits = settings.traits;
    this.#tools = options.tools;
    this.#stream = new CallerStream({
      format: options.format,
      send: (message) => this.#link.send(message),
      onNoTurn: () => this.#link.quiet(),
    });
    this.#audio = new CallerAudio({
      format: options.format,
      send: (message) => this.#sendOfTurn(message),
      onOpening: () => this.#opening(),
    });
    this.#generations = new Generations({
      clock: options.clock,
      bytesPerMs: bytesPerMs(options.format),
      publish: (event) => this.#publish(event),
    });
    this.#transcript = new CallerTranscript((event) => this.#publish(event));
    this.#server = new ServerEvents({
      clock: options.clock,
      format: options.format,
      turnDetection: options.turnDetection,
      generations: this.#generations,
      transcript: this.#transcript,
      calls: this.#calls,
      publish: (event) => this.#publish(event),
      claim: (generation) => this.#claimed(++this.#responses, generation),
      onTurnOver: () => this.#turnOver(),
      onCallsCancelled: (late) => this.#callsCancelled(late),
    });
    this.#link = new ResumableLink({
      ...settings,
      clock: options.clock,
      log: options.log,
      setup: (handle) => settings.setup({ tools: this.#tools, ...(handle === undefined ? {} : { handle }) }),
      opening: this.#history(),
      onReady: () => this.#publish({ type: 'ready' }),
      onMessage: (message) => this.#server.take(message),
      onSent: (ms) => {
        this.#audioMs += ms;
      },
      onLost: (error) => this.#lost(error),
      onExpiring: (inMs) => this.#publish({ type: 'expiring', inMs }),
      onFailed: (error) => this.#failed(error),
      isQuiet: () => this.#isQuiet && this.#stream.unanswered.length === 0,
    });
  }

  get audioMs(): number {
    return this.#audioMs;
  }

  write(frame: Uint8Array): void {
    if (this.#closed) return;
    if (this.#ours) {
      this.#audio.write(frame);
      if (this.#audio.state === 'held' && !this.#generations.wanted) this.#audio.release();
    } else this.#stream.write(frame, this.#calls.waiting && this.#traits.mutedByCalls);
  }

  voiceActivity(speaking: boolean): void {
    this.#stream.voiceActivity(speaking);
    if (this.#closed || !this.#ours || !speaking || this.#audio.state !== 'idle') return;
    for (const unheard of this.#generations.dropUnclaimed()) this.#context.unheard(unheard);
    this.#audio.start(this.#generations.wanted);
  }

  commit(): void {
    if (this.#closed || !this.#ours) return;
    if (this.#audio.state === 'open') this.#sendContext();
    this.#audio.commit();
    this.#generations.expect('turn', this.#turn);
    this.#turn = [];
  }

  discard(): void {
    if (this.#closed || !this.#ours || this.#audio.discard()) return;
    // What was sent cannot be retracted: the turn is ended, and its answer cut off by saying that it was none.
    this.#transcript.forget();
    this.#audio.commit();
    this.#turn = [];
    this.#generations.expect('turn', []);
    this.#generations.supersede();
    this.#link.send(content([noise()], false));
  }

  respond(request: RespondRequest = {}): number {
    const response = ++this.#responses;
    if (this.#closed) return response;
    this.#link.probe();
    const generation = request.verbatim === undefined ? this.#answered(response) : undefined;
    if (generation) {
      this.#context.began(response, generation);
      queueMicrotask(() => {
        if (!this.#closed) this.#generations.flush(generation);
      });
      return response;
    }
    this.#settleCalls();
    this.#generations.supersede();
    const instruction = request.verbatim === undefined ? [] : [sayExactly(request.verbatim)];
    const turns = [...this.#context.take(), ...instruction];
    const message = content(turns.length === 0 ? [goOn()] : turns, true);
    this.#link.send(message);
    this.#context.began(response, this.#generations.expect('request', [message], response));
    return response;
  }

  cancel(response: number): void {
    if (this.#closed) return;
    const generation = this.#generations.find(response);
    if (generation && this.#generations.cancel(generation)) this.#context.unheard(generation);
  }

  truncate(response: number, heardMs: number): void {
    if (this.#closed) return;
    this.#context.truncated(response, heardMs);
    const generation = this.#generations.find(response);
    if (generation) this.#generations.cancel(generation);
    // It interrupts whatever the model says: if that is something else already, it is read before the next answer.
    const turn = this.#generations.live ? undefined : this.#context.takeHeard();
    if (turn) this.#link.send(content([turn], false));
  }

  addNote(text: string): void {
    this.#addContext(note(text));
  }

  addItem(item: RealtimeHistoryItem): void {
    if (item.role === 'tool_result' && this.#calls.settle(item.callId, item.text)) return;
    this.#addContext(historyTurn(item));
  }

  setTools(tools: readonly LlmTool[]): void {
    if (this.#closed) return;
    this.#tools = tools;
    const declarations = toolList(tools, this.#traits);
    if (this.#traits.updatesContext)
      this.#link.send(control({ contextUpdate: { tools: { tools: declarations } } }));
    // The set-up of a resumed session may differ in all but the model.
    else this.#link.renewWhenQuiet();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#link.close();
  }

  get #ours(): boolean {
    return this.#options.turnDetection === 'ours';
  }

  get #isQuiet(): boolean {
    return !this.#generations.busy && !this.#calls.waiting && this.#audio.state === 'idle';
  }

  /** Numbers the answer that comes by itself (to a turn or to the results of tools). */
  #answered(response: number): Generation | undefined {
    const { unclaimed } = this.#generations;
    // What must be read first cannot be given to an answer that is awaited: it is asked for anew.
    const noted = this.#context.waiting && unclaimed?.began !== true;
    if (noted) return undefined;
    const claimed = this.#generations.claim(response);
    if (claimed || !this.#calls.complete) return claimed;
    this.#link.send(control(this.#calls.take()));
    this.#stream.resume();
    this.#generations.endOfCalls();
    return this.#generations.expect('tool', [], response);
  }

  /** Clears the way for a new turn: the model must not wait for a tool, and what it says is cut off. */
  #opening(): void {
    this.#turn = [];
    this.#transcript.next();
    this.#settleCalls();
    this.#sendContext();
    this.#generations.supersede();
  }

  /** Stops the model's wait for its tools; what it would say to what there is goes nowhere. */
  #settleCalls(): void {
    if (!this.#calls.waiting) return;
    this.#link.send(control(this.#calls.take()));
    this.#stream.resume();
    this.#generations.endOfCalls();
    this.#generations.expect('tool', []).dropped = true;
  }

  #sendOfTurn(message: OutboxMessage): void {
    // The mark of its beginning stays; of a monologue only the end can be said again.
    if (this.#turn.length > TURN_MESSAGES) this.#turn.splice(1, 1);
    this.#turn.push(message);
    this.#link.send(message);
  }

  #addContext(turn: Turn): void {
    if (this.#closed) return;
    this.#context.add(turn);
    // While the model speaks it would be interrupted by it.
    if (this.#isQuiet) this.#sendContext();
  }

  #sendContext(): void {
    const turns = this.#context.take();
    if (turns.length > 0) this.#link.send(content(turns, false));
  }

  #history(): readonly OutboxMessage[] {
    const { history } = this.#options;
    if (history.length === 0) return [];
    // With `historyConfig` a complete turn ends the history and is not answered; without, it would be.
    return [content(history.map(historyTurn), this.#traits.announcesHistory)];
  }

  #claimed(response: number, generation: Generation): void {
    generation.response = response;
    this.#context.began(response, generation);
    this.#generations.flush(generation);
  }

  #turnOver(): void {
    if (this.#isQuiet) this.#sendContext();
    this.#link.quiet();
  }

  /** Results that came for calls which the model no longer waits for are facts like others. */
  #callsCancelled(late: readonly string[]): void {
    for (const text of late) this.#addContext(historyTurn({ role: 'tool_result', callId: '', text }));
    if (!this.#calls.waiting) this.#stream.resume();
  }

  /** Resumes the session over another connection, when one is gone. */
  #lost(error: ProviderError): void {
    this.#calls.clear();
    const requests = this.#generations.disconnected(error).flatMap(({ request }) => request);
    const turn = this.#audio.state === 'open' ? this.#turn : this.#stream.unanswered;
    const again = [...requests, ...turn];
    this.#server.reset(again.some(({ audioMs }) => audioMs > 0));
    for (const message of again) this.#link.send(message);
    // What was kept for the end of the tools follows it: the next connection waits for none.
    this.#stream.resume();
  }

  #failed(error: ProviderError): void {
    if (this.#closed) return;
    this.#generations.disconnected(error);
    this.#publish({ type: 'failed', error });
    this.close();
  }

  #publish(event: RealtimeEvent): void {
    if (event.type === 'end_of_turn') this.#stream.answered();
    if (!this.#closed) this.#options.onEvent(event);
  }
}
