import { type AudioFormat, isSameFormat } from '@voice/shared/audio/format';
import type { Clock } from '@voice/shared/clock/clock';
import type { ProviderChoice } from '@voice/shared/contracts/agent';
import type { CallPlan } from '@voice/shared/contracts/call-plan';
import type { LlmTool } from '@voice/shared/language-model/conversation';
import type { Log } from '@voice/shared/log/log';
import type { HistoryEntry } from '../../call/turn-taking/effects.js';
import { ProviderError } from '../../providers/provider-error.js';
import type { RealtimeProvider, RealtimeSession } from '../../providers/realtime/port.js';
import type { VadEvent, VoiceActivityDetector } from '../../providers/vad/port.js';
import { LeadingSilence, trimmed } from '../leading-silence.js';
import { phoneInstructions } from '../messages.js';
import type {
  AnswerRequest,
  Conversation,
  ConversationListener,
  SpokenFrame,
  TurnListener,
} from '../port.js';
import { type Arrival, SpeechActivity } from '../speech-activity.js';
import { historyItems } from './history-items.js';
import { RealtimeUsageMeter } from './realtime-usage-meter.js';
import { startResponse } from './response-turn.js';
import { type Response, type SessionEvent, SessionLink } from './session-link.js';
import { SessionMemory } from './session-memory.js';
import { isVerbatim } from './spoken-words.js';
import { TranscriptionMatcher } from './transcription-matcher.js';
import { UtteranceAudio } from './utterance-audio.js';

/** How long an answer may take to begin where nobody else could give it, in ms. */
const FIRST_OUTPUT_MS = 5000;

export interface RealtimeConversationOptions {
  readonly plan: CallPlan;
  readonly choice: ProviderChoice;
  readonly provider: RealtimeProvider;
  readonly detector: VoiceActivityDetector;
  /** The agent's tools as they are known when the session opens. */
  readonly tools: readonly LlmTool[];
  /** How long a turn may take to begin before a fallback is to speak, in ms; undefined: there is none. */
  readonly firstOutputMs?: number | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** For the call's timeline. */
  readonly notice: (code: string, message: string) => void;
}

/** What is asked of the model. */
interface SpokenResponse {
  readonly turn: number;
  /** Undefined: its own answer. */
  readonly verbatim: string | undefined;
  readonly mayBeSilent: boolean;
}

/**
 * Runs speech to speech: one model hears the line and speaks on it. Barge-in, limits, tools and the order of turns are
 * the reducer's as in the cascade; who finds the end of the caller's turn is the agent's setting.
 */
export class RealtimeConversation implements Conversation {
  readonly kind = 'realtime';
  readonly hearsWords = false;
  readonly lastFinalAt = undefined;
  readonly #options: RealtimeConversationOptions;
  readonly #isProviderDetecting: boolean;
  readonly #usage = new RealtimeUsageMeter();
  /** Each session's own: the next one is opened, and knows the call so far, while the present one goes on. */
  readonly #memories = new WeakMap<RealtimeSession, SessionMemory>();
  readonly #transcriptions = new TranscriptionMatcher(({ answer, text, final }) => {
    if (final && answer !== undefined) {
      // Another session, or conversation, is given the words.
      if (text.trim() !== '' && answer === this.#answering) this.#utterance.answered();
      this.#listener?.onHeard({ type: 'transcribed', answer, text });
    } else this.#listener?.onInterim?.(text);
  });
  readonly #responses = new Map<number, { readonly response: Response; readonly silence: LeadingSilence }>();
  #utterance: UtteranceAudio;
  #link: { readonly link: SessionLink; readonly format: AudioFormat } | undefined;
  #listener: ConversationListener | undefined;
  #activity: SpeechActivity | undefined;
  #tools: readonly LlmTool[];
  /** The agent's turn that answers what the caller said last. */
  #answering: number | undefined;
  /** A model has one mouth: a response is asked for when the one before it has ended. */
  #queue: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: RealtimeConversationOptions) {
    this.#options = options;
    this.#tools = options.tools;
    this.#isProviderDetecting = options.plan.agent.turn_taking.turn_detection === 'provider';
    this.#utterance = new UtteranceAudio(
      (frame) => this.#link?.link.session.write(frame),
      this.#isProviderDetecting,
    );
  }

  prepare(format: AudioFormat): void {
    this.#openLink(format);
  }

  listen(listener: ConversationListener, format: AudioFormat): void {
    if (this.#closed) return;
    this.#listener = listener;
    this.#openLink(format);
    this.#activity = new SpeechActivity({
      detector: this.#options.detector,
      settings: this.#options.plan.agent.turn_taking,
      format,
      sinceStart: listener.sinceStart,
      onEvent: (event, arrival) => this.#onVoiceActivity(event, arrival),
    });
  }

  hear(frame: Uint8Array, spokenAtMs: number): void {
    this.#utterance.write(frame, spokenAtMs);
    this.#activity?.write(frame, spokenAtMs);
  }

  generate(request: AnswerRequest, listener: TurnListener, signal: AbortSignal): Promise<void> {
    // Before the caller's turn, so that the model knows both in their order.
    this.#memory?.catchUp(this.#history());
    if (this.#isProviderDetecting) {
      this.#answering = request.turn;
      this.#transcriptions.answered(request.turn);
    } else if (this.#utterance.hasUncommitted) {
      this.#answering = request.turn;
      this.#session.commit();
      // Its words are expected already.
      if (!this.#utterance.isSentAgain) this.#transcriptions.committed(request.turn);
    }
    this.#utterance.commit();
    const mayBeSilent = request.history.at(-1)?.role === 'tool';
    return this.#speak({ turn: request.turn, verbatim: undefined, mayBeSilent }, listener, signal, () => {
      this.#tools = request.tools;
      this.#memory?.offer(request.tools);
      this.#memory?.bringUpToDate(this.#history());
    });
  }

  say(turn: number, text: string, listener: TurnListener, signal: AbortSignal): Promise<void> {
    return this.#sayWhole(turn, text, listener, signal);
  }

  truncate(turn: number, heardMs: number): void {
    const said = this.#responses.get(turn);
    // The model counts from the start of its audio, the silence included that nobody heard.
    said?.response.truncate(heardMs === 0 ? 0 : heardMs + said.silence.trimmedMs);
    this.#responses.delete(turn);
  }

  /** Returns the caller's audio that no answer has come to, for the conversation that takes over. */
  unanswered(): readonly SpokenFrame[] {
    return this.#utterance.unanswered();
  }

  usage() {
    return this.#usage.usage(this.#source(), this.#link?.link.audioMs ?? 0);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#listener = undefined;
    this.#activity?.close();
    this.#link?.link.close(this.#gone());
  }

  /** Says the text over the next session where the present one breaks before a sound of it, and nobody else could. */
  async #sayWhole(turn: number, text: string, listener: TurnListener, signal: AbortSignal): Promise<void> {
    for (;;) {
      const asked = this.#link?.link.session;
      let begun = false;
      const onFirstToken = () => {
        begun = true;
        listener.onFirstToken();
      };
      try {
        const wanted = { turn, verbatim: text, mayBeSilent: false };
        await this.#speak(wanted, { ...listener, onFirstToken }, signal, () => {
          this.#memory?.catchUp(this.#history());
          this.#memory?.says(text);
        });
        return;
      } catch (error) {
        const isOverNext = !this.#closed && this.#link?.link.session !== asked;
        const hasFallback = this.#options.firstOutputMs !== undefined;
        if (begun || signal.aborted || !isOverNext || hasFallback) throw error;
      }
    }
  }

  #speak(
    { turn, verbatim, mayBeSilent }: SpokenResponse,
    listener: TurnListener,
    signal: AbortSignal,
    before: () => void,
  ): Promise<void> {
    const spoken = this.#queue.then(async () => {
      if (signal.aborted) return;
      // The conversation that has taken over is asked then.
      if (this.#closed) throw this.#gone();
      before();
      const link = this.#requireOpen();
      const silence = new LeadingSilence(link.format);
      const heard = trimmed(listener, silence);
      const { response, finished } = startResponse(
        {
          link: link.link,
          clock: this.#options.clock,
          provider: this.#options.choice.provider,
          request: verbatim === undefined ? undefined : { verbatim },
          firstOutputMs: this.#options.firstOutputMs ?? FIRST_OUTPUT_MS,
          format: link.format,
          listener: heard,
          mayBeSilent,
          onFirst: () => {
            if (verbatim === undefined) this.#utterance.answered();
          },
          onSaid: (said) => this.#checkVerbatim(verbatim, said),
        },
        signal,
      );
      this.#responses.set(turn, { response, silence });
      await finished;
      if (!signal.aborted) heard.onAudioEnd();
    });
    this.#queue = spoken.catch(() => {});
    return spoken;
  }

  #checkVerbatim(wanted: string | undefined, said: string): void {
    if (wanted === undefined || said === '' || isVerbatim(wanted, said)) return;
    const { disclosure } = this.#options.plan;
    const code = wanted.trim() === disclosure?.trim() ? 'disclosure_not_verbatim' : 'said_otherwise';
    this.#options.notice(code, `The model was to say “${wanted}” and said “${said}”.`);
  }

  #onVoiceActivity(event: VadEvent, { arrivedAt, lateMs, agoMs }: Arrival): void {
    const speaking = event.type === 'speech_started';
    if (speaking) {
      // A provider that finds the end of the caller's turn itself puts the turn after what it knows by then.
      if (this.#isProviderDetecting) this.#memory?.catchUp(this.#history());
      this.#session.voiceActivity(true);
      this.#utterance.speechStarted(agoMs);
      this.#listener?.onHeard({ type: 'speech_started', startedAt: arrivedAt, lateMs });
    } else {
      this.#utterance.speechStopped();
      this.#session.voiceActivity(false);
      this.#listener?.onHeard({ type: 'speech_stopped', stoppedAt: arrivedAt, lateMs });
    }
  }

  #onSessionEvent(event: SessionEvent): void {
    switch (event.type) {
      case 'speech_started':
        // Our own detector is faster, and the same for every provider.
        break;
      case 'end_of_turn':
        this.#transcriptions.ended();
        this.#listener?.onHeard({ type: 'end_of_turn', source: 'realtime', confidence: 1 });
        break;
      case 'caller_transcript':
        this.#transcriptions.heard(event.item, event.text, event.final);
        break;
      case 'usage':
        // Transcription is billed by the minute of audio.
        if (event.of !== 'transcription') this.#usage.add(event.usage);
        break;
    }
  }

  #openLink(format: AudioFormat): void {
    if (this.#closed) return;
    if (this.#link) {
      if (isSameFormat(this.#link.format, format)) return;
      // The line is another one than was prepared for; nothing was said over the session yet.
      this.#link.link.close(this.#gone());
    }
    const { plan, choice, provider, clock, log, notice } = this.#options;
    const link = new SessionLink({
      clock,
      open: (items, onEvent) => {
        const session = provider.open({
          choice,
          credentials: plan.credentials[choice.provider] ?? {},
          instructions: phoneInstructions(plan.agent.system_prompt),
          language: plan.agent.language,
          tools: this.#tools,
          format,
          turnDetection: this.#isProviderDetecting ? 'provider' : 'ours',
          history: items,
          clock,
          log,
          onEvent,
        });
        this.#memories.set(session, new SessionMemory(session, this.#history(), this.#tools));
        return session;
      },
      setUpCharacters: () =>
        phoneInstructions(plan.agent.system_prompt).length + JSON.stringify(this.#tools).length,
      history: () => historyItems(this.#history()),
      unanswered: () => this.#utterance.unanswered(),
      onEvent: (event) => this.#onSessionEvent(event),
      onReplaced: (reason) => {
        this.#responses.clear();
        this.#memory?.takeOver(this.#history(), this.#utterance.isHeardAgain);
        if (!this.#isProviderDetecting) this.#utterance.sentAgain();
        this.#transcriptions.sessionReplaced(this.#utterance.isSentAgain);
        if (reason === 'reconnected')
          notice('realtime_reconnected', 'The session with the model broke; a new one took over.');
      },
      onFailed: (error) => {
        if (this.#listener) this.#listener.onFailed(error);
        // Before the line is there nobody could act on it: then it is tried once more.
        else this.#link = undefined;
      },
    });
    this.#link = { link, format };
  }

  #source() {
    const { choice, provider } = this.#options;
    return {
      provider: choice.provider,
      model: choice.model === '' ? provider.defaultModel : choice.model,
      transcription: provider.transcriptionModel?.(choice),
    };
  }

  #gone(): ProviderError {
    const { provider } = this.#options.choice;
    const message = 'The conversation with the model is over.';
    return new ProviderError({ provider, kind: 'realtime', code: 'closed', message, retryable: true });
  }

  get #session() {
    return this.#requireOpen().link.session;
  }

  /** Returns what the present session knows of the call. */
  get #memory(): SessionMemory | undefined {
    return this.#memories.get(this.#session);
  }

  /** Returns what was said so far. */
  #history(): readonly HistoryEntry[] {
    return this.#listener?.history() ?? [];
  }

  #requireOpen() {
    if (this.#link) return this.#link;
    throw new Error('A conversation speaks after it listens');
  }
}
