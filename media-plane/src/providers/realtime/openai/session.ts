import type { Timer } from '@voice/shared/clock/clock';
import type { LlmTool } from '@voice/shared/language-model/conversation';
import type { RealtimeClientEvent } from 'openai/resources/realtime/realtime';
import type { ProviderError } from '../../provider-error.js';
import { ProviderSocket } from '../../provider-socket.js';
import type {
  RealtimeEvent,
  RealtimeHistoryItem,
  RealtimeOptions,
  RealtimeSession,
  RespondRequest,
} from '../port.js';
import { CallerAudio } from './caller-audio.js';
import { errorOfEnd, errorOfReport, isFatal, PROVIDER, realtimeError } from './errors.js';
import { itemCreate, sessionUpdate, toolsUpdate } from './messages.js';
import { Outbox } from './outbox.js';
import { Responses } from './responses.js';
import { parseServerEvent, type ReportedErrorEvent, type ServerEvent } from './server-events.js';
import type { RealtimeTarget } from './target.js';
import { Transcripts } from './transcripts.js';

/** Longest time from opening to a configured session, in ms. */
const READY_DEADLINE_MS = 4500;
/** A session's longest duration where the service does not announce it, in ms. */
const SESSION_LIMIT_MS = 60 * 60_000;
/** How long before a session's end its successor should be opened, in ms. */
const EXPIRING_MS = 5 * 60_000;
/** The service refuses turns that are shorter, in ms. */
const MIN_TURN_MS = 100;
/** Unsent bytes from which a connection counts as stalled: over 10 s of 24 kHz audio. */
const STALLED_BYTES = 1_000_000;
const CONFIGURE = 'configure';

/** Runs one call's session with OpenAI's Realtime API. */
export class OpenAiRealtimeSession implements RealtimeSession {
  readonly #options: RealtimeOptions;
  readonly #socket: ProviderSocket;
  readonly #outbox = new Outbox();
  readonly #caller: CallerAudio;
  readonly #responses: Responses;
  readonly #transcripts: Transcripts;
  #deadline: Timer;
  #expiresAt: number;
  #ready = false;
  #closed = false;
  #sentMs = 0;

  constructor(options: RealtimeOptions, { url, headers, lookup, params }: RealtimeTarget) {
    this.#options = options;
    const { clock, format, turnDetection } = options;
    this.#caller = new CallerAudio({
      format,
      holdsSilence: turnDetection === 'ours',
      send: (base64, ms) => this.#sendText(`{"type":"input_audio_buffer.append","audio":"${base64}"}`, ms),
    });
    this.#responses = new Responses({
      format,
      clock,
      send: (event) => this.#send(event),
      emit: (event) => this.#emit(event),
      fail: (error) => this.#fail(error),
    });
    this.#transcripts = new Transcripts((event) => this.#emit(event));
    this.#expiresAt = clock.now() + SESSION_LIMIT_MS;
    this.#deadline = clock.schedule(READY_DEADLINE_MS, () => {
      this.#fail(realtimeError('timed_out', 'openai did not open the session in time', true));
    });
    this.#send(sessionUpdate(options, params, CONFIGURE));
    for (const item of options.history) this.addItem(item);
    this.#socket = new ProviderSocket({
      url,
      headers,
      events: {
        onOpen: () => {
          for (const { text, ms } of this.#outbox.take()) this.#sendText(text, ms);
        },
        onText: (text) => this.#received(text),
        onEnd: (end) => this.#fail(errorOfEnd(end)),
      },
      lookup,
    });
  }

  get audioMs(): number {
    return this.#sentMs;
  }

  write(frame: Uint8Array): void {
    if (!this.#closed) this.#caller.write(frame);
  }

  voiceActivity(speaking: boolean): void {
    this.#caller.voiceActivity(speaking);
  }

  commit(): void {
    if (this.#closed || this.#options.turnDetection !== 'ours' || this.#caller.turnMs === 0) return;
    this.#caller.padTo(MIN_TURN_MS);
    this.#caller.flush();
    this.#caller.turnOver();
    this.#send({ type: 'input_audio_buffer.commit' });
  }

  discard(): void {
    if (this.#closed) return;
    this.#caller.turnOver();
    this.#send({ type: 'input_audio_buffer.clear' });
  }

  respond(request: RespondRequest = {}): number {
    const response = this.#responses.respond(request);
    // A connection that has died unseen would keep the caller waiting.
    if (!this.#closed) this.#socket.probe(this.#options.clock);
    return response;
  }

  cancel(response: number): void {
    this.#responses.cancel(response);
  }

  truncate(response: number, heardMs: number): void {
    this.#responses.truncate(response, heardMs);
  }

  addNote(text: string): void {
    this.addItem({ role: 'system', text });
  }

  addItem(item: RealtimeHistoryItem): void {
    this.#send(itemCreate(item));
  }

  setTools(tools: readonly LlmTool[]): void {
    this.#send(toolsUpdate(tools));
  }

  close(): void {
    if (this.#closed) return;
    this.#release();
    this.#socket.close();
  }

  #send(event: RealtimeClientEvent): void {
    if (!this.#closed) this.#sendText(JSON.stringify(event), 0);
  }

  /** @param ms of audio in it */
  #sendText(text: string, ms: number): void {
    // While the constructor runs there is no socket yet.
    const socket = this.#socket as ProviderSocket | undefined;
    if (!socket?.open) {
      this.#outbox.add(text, ms);
      return;
    }
    if (ms > 0 && socket.buffered > STALLED_BYTES) {
      this.#fail(realtimeError('disconnected', 'the connection to openai does not take our audio', true));
      return;
    }
    socket.send(text);
    this.#sentMs += ms;
  }

  #received(text: string): void {
    const event = parseServerEvent(text);
    if (event === 'ignored') return;
    if (event === undefined) {
      this.#options.log.warn({ provider: PROVIDER }, 'realtime message is unreadable');
      return;
    }
    this.#take(event);
  }

  #take(event: ServerEvent): void {
    switch (event.type) {
      case 'response.output_audio.delta':
        this.#responses.onAudio(event);
        break;
      case 'response.output_audio_transcript.delta':
      case 'response.output_text.delta':
        this.#responses.onText(event.response_id, event.delta);
        break;
      case 'session.created':
        this.#created(event.session.expires_at ?? undefined);
        break;
      case 'session.updated':
        this.#configured();
        break;
      case 'input_audio_buffer.speech_started':
        if (this.#options.turnDetection === 'provider') this.#emit({ type: 'speech_started' });
        break;
      case 'input_audio_buffer.speech_stopped':
        if (this.#options.turnDetection === 'provider') this.#emit({ type: 'end_of_turn' });
        break;
      case 'conversation.item.input_audio_transcription.delta':
        this.#transcripts.onDelta(event.item_id, event.delta);
        break;
      case 'conversation.item.input_audio_transcription.completed':
        this.#transcripts.onCompleted(event.item_id, event.transcript, event.usage);
        break;
      case 'conversation.item.input_audio_transcription.failed':
        this.#options.log.warn(
          { provider: PROVIDER, error_code: event.error?.code },
          "the caller's words could not be written down",
        );
        this.#transcripts.onFailed(event.item_id);
        break;
      case 'response.created':
        this.#responses.onCreated(event);
        break;
      case 'response.output_item.added':
        this.#responses.onItemAdded(event);
        break;
      case 'response.output_item.done':
        this.#responses.onItemDone(event);
        break;
      case 'response.function_call_arguments.delta':
        this.#responses.onArguments(event);
        break;
      case 'response.done':
        this.#responses.onDone(event);
        break;
      case 'error':
        this.#refused(event.error);
        break;
    }
  }

  /** @param expiresAt in s since the epoch */
  #created(expiresAt: number | undefined): void {
    if (expiresAt === undefined) return;
    // A machine's clock may be wrong, the limit is not.
    this.#expiresAt = Math.min(expiresAt * 1000, this.#options.clock.now() + SESSION_LIMIT_MS);
  }

  #configured(): void {
    if (this.#ready) return;
    this.#ready = true;
    this.#deadline.cancel();
    const { clock } = this.#options;
    this.#deadline = clock.schedule(Math.max(0, this.#expiresAt - EXPIRING_MS - clock.now()), () => {
      this.#emit({ type: 'expiring', inMs: Math.max(0, this.#expiresAt - clock.now()) });
    });
    this.#emit({ type: 'ready' });
  }

  #refused(error: ReportedErrorEvent): void {
    if (isFatal(error) || error.event_id === CONFIGURE) {
      this.#fail(errorOfReport(error));
      return;
    }
    if (this.#responses.onRefused(error)) return;
    const fields = { provider: PROVIDER, error_code: error.code, param: error.param };
    // The response was over before our cancelling arrived: both sides agree.
    if (error.code === 'response_cancel_not_active') {
      this.#options.log.debug(fields, 'realtime response was over before it was cancelled');
    } else this.#options.log.warn(fields, 'realtime provider reports an error');
  }

  #fail(error: ProviderError): void {
    if (this.#closed) return;
    this.#options.log.warn({ provider: PROVIDER, error_code: error.code }, 'realtime session failed');
    this.#release();
    this.#socket.terminate();
    this.#options.onEvent({ type: 'failed', error });
  }

  #emit(event: RealtimeEvent): void {
    if (!this.#closed) this.#options.onEvent(event);
  }

  #release(): void {
    this.#closed = true;
    this.#deadline.cancel();
    this.#responses.close();
    this.#outbox.clear();
  }
}
