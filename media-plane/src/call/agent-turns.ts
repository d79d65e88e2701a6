import type { AudioFormat } from '@voice/shared/audio/format';
import type { CallEventBody } from '@voice/shared/contracts/call-events';
import type { LlmTool, LlmToolCall } from '@voice/shared/language-model/conversation';
import type { Log } from '@voice/shared/log/log';
import type { Conversation, TurnListener } from '../conversation/port.js';
import { ProviderError } from '../providers/provider-error.js';
import { TurnCut } from '../providers/usage/turn-cut.js';
import { turnAudio } from '../streams/audio-id.js';
import type { CallOutput } from './call-environment.js';
import { SpokenTurn } from './spoken-turn.js';
import type { TurnMetricsCollector } from './turn-metrics-collector.js';
import type { AbortReason, Effect, HistoryEntry } from './turn-taking/effects.js';
import type { AgentEvent, ToolCall } from './turn-taking/events.js';

/** What the agent does, before the call stamps it. */
type UnstampedAgentEvent = AgentEvent extends infer E
  ? E extends AgentEvent
    ? Omit<E, 'at'>
    : never
  : never;

export interface AgentTurnsOptions {
  readonly conversation: Conversation;
  readonly output: CallOutput;
  readonly format: AudioFormat;
  readonly metrics: TurnMetricsCollector;
  readonly log: Log;
  /** ms since the media stream began. */
  readonly now: () => number;
  readonly history: () => readonly HistoryEntry[];
  readonly tools: () => readonly LlmTool[];
  readonly classify: (turn: number, call: LlmToolCall) => ToolCall;
  readonly onEvent: (event: UnstampedAgentEvent) => void;
  readonly emit: (body: CallEventBody) => void;
}

/** Pieces of a speculative answer that the voice is given before its `commit`. */
const PIECES_AHEAD = { llm: 0, llm_and_voice: 1 } as const;

type TurnEffect = Extract<
  Effect,
  { type: 'generate' | 'say' | 'commit' | 'abort' | 'play' | 'pause' | 'resume' | 'clear' | 'truncate' }
>;

/** Carries out the agent's turns for the reducer: the conversation generates them, the paced output plays them. */
export class AgentTurns {
  readonly #options: AgentTurnsOptions;
  readonly #turns = new Map<number, SpokenTurn>();
  #audible: number | undefined;

  constructor(options: AgentTurnsOptions) {
    this.#options = options;
  }

  /** Returns the turn that is heard now, and how much of it was; undefined: none. */
  playback(): { readonly turn: number; readonly playedMs: number } | undefined {
    if (this.#audible === undefined) return undefined;
    return { turn: this.#audible, playedMs: this.#options.output.playedMs(turnAudio(this.#audible)) };
  }

  carryOut(effect: TurnEffect): void {
    const { conversation, output, metrics, now } = this.#options;
    switch (effect.type) {
      case 'generate': {
        const { history, tools } = this.#options;
        const { speculative } = effect;
        const request = {
          turn: effect.turn,
          history: history(),
          basis: speculative ? effect.basis : undefined,
          tools: tools(),
        };
        this.#speak(
          effect.turn,
          true,
          (listener, signal, released) => {
            const heldVoice = speculative ? { piecesAhead: PIECES_AHEAD[speculative], released } : undefined;
            return conversation.generate({ ...request, heldVoice }, listener, signal);
          },
          speculative !== false,
        );
        break;
      }
      case 'commit':
        this.#turns.get(effect.turn)?.release();
        break;
      case 'say':
        this.#speak(effect.turn, false, (listener, signal) =>
          conversation.say(effect.turn, effect.text, listener, signal),
        );
        break;
      case 'abort':
        if (effect.reason === 'timed_out') this.#noticeTimeout(effect.turn);
        this.#abort(effect.turn, effect.reason);
        break;
      case 'play': {
        const turn = this.#turns.get(effect.turn);
        if (!turn) break;
        this.#audible = effect.turn;
        try {
          turn.play();
        } catch (error) {
          this.#failed(turn, error);
        }
        break;
      }
      case 'pause':
        output.pause(turnAudio(effect.turn));
        metrics.silenced(now());
        break;
      case 'resume': {
        const heard = this.#turns.get(effect.turn)?.heard;
        output.resume(turnAudio(effect.turn), heard ? heard.wordStartBefore(effect.fromMs) : effect.fromMs);
        break;
      }
      case 'clear':
        this.#clear(effect.turn);
        break;
      case 'truncate':
        conversation.truncate(effect.turn, effect.heardMs);
        break;
    }
  }

  /** Ends a turn that the output has played to its end. */
  finished(turn: number, playedMs: number): void {
    if (this.#audible === turn) this.#audible = undefined;
    this.#turns.delete(turn);
    this.#options.metrics.turnOver(turn);
    this.#options.onEvent({ type: 'playback_finished', turn, playedMs });
  }

  close(): void {
    for (const turn of this.#turns.values()) turn.abort();
    this.#turns.clear();
  }

  #speak(
    number: number,
    isAnswer: boolean,
    speak: (listener: TurnListener, signal: AbortSignal, released: Promise<void>) => Promise<void>,
    isSpeculative = false,
  ): void {
    const { output, format } = this.#options;
    const turn = new SpokenTurn({ turn: number, output, format, isSpeculative });
    this.#turns.set(number, turn);
    // Asynchronous, so that what is thrown at once fails the turn as well.
    const spoken = async () => speak(this.#listen(turn, isAnswer), turn.signal, turn.released);
    void spoken().then(
      () => this.#spoken(turn),
      (error: unknown) => this.#failed(turn, error),
    );
  }

  #listen(turn: SpokenTurn, isAnswer: boolean): TurnListener {
    const { metrics, now, onEvent, classify } = this.#options;
    const number = turn.turn;
    return {
      onFirstToken: () => metrics.firstToken(number, now()),
      onSentence: (written, segments) => {
        turn.heard.addSentence(written, segments);
        if (isAnswer) onEvent({ type: 'text', turn: number, sentence: written });
      },
      onToolCall: (call) => onEvent({ type: 'tool_call', turn: number, call: classify(number, call) }),
      onGenerated: () => {
        onEvent({ type: 'generation_finished', turn: number });
        if (turn.heard.text === '' && !turn.hasAudio) {
          onEvent({ type: 'playback_finished', turn: number, playedMs: 0 });
        }
      },
      onAudio: (chunk) => {
        const first = !turn.hasAudio && chunk.audio.length > 0;
        const room = turn.accept(chunk);
        if (first) {
          metrics.firstAudio(number, now());
          onEvent({ type: 'audio_ready', turn: number });
        }
        return room;
      },
    };
  }

  #spoken(turn: SpokenTurn): void {
    if (turn.signal.aborted) return;
    if (turn.heard.text !== '' && !turn.hasAudio) {
      this.#failed(
        turn,
        new ProviderError({
          provider: this.#options.conversation.kind,
          kind: 'tts',
          code: 'protocol_violation',
          message: 'The voice was given text and made no sound.',
          retryable: true,
        }),
      );
      return;
    }
    turn.complete();
  }

  #failed(turn: SpokenTurn, error: unknown): void {
    if (turn.signal.aborted) return;
    const { log, emit, onEvent } = this.#options;
    const known = error instanceof ProviderError ? error : undefined;
    const code = known?.code ?? 'internal_error';
    log.warn({ turn: turn.turn, reason: code, error: String(error) }, 'a turn could not be spoken');
    emit({ kind: 'notice', code, message: known?.message ?? 'Internal error.' });
    // A voice whose model broke off has said all that it was given.
    const playsOut = known?.kind === 'llm' && turn.playing;
    if (playsOut) turn.complete();
    onEvent({
      type: 'generation_failed',
      turn: turn.turn,
      retryable: known?.retryable ?? false,
      code,
      ...(playsOut ? { playsOut } : {}),
    });
  }

  #noticeTimeout(turn: number): void {
    const { log, emit } = this.#options;
    const code = 'turn_timed_out';
    log.warn({ turn, reason: code }, 'an answer made no sound in time');
    emit({ kind: 'notice', code, message: 'The answer made no sound in time; the agent apologised.' });
  }

  #abort(number: number, reason: AbortReason): void {
    const turn = this.#turns.get(number);
    if (!turn) return;
    const isFailed = reason === 'failed' || reason === 'timed_out';
    turn.abort(isFailed ? undefined : new TurnCut(turn.isSpeculative ? 'dropped_guess' : 'cut_speech'));
    if (this.#audible === number) return;
    // Nobody has heard it: nor does the model remember it.
    this.#options.conversation.truncate(number, 0);
    this.#turns.delete(number);
    this.#options.metrics.dropped(number);
  }

  /** Discards the turn's audio; how much of it was heard, in ms. A line that is broken says nothing more either way. */
  #silence(number: number): number {
    const { output, log } = this.#options;
    try {
      return output.clear(turnAudio(number));
    } catch (error) {
      log.error({ turn: number, error: String(error) }, 'the audio of a turn could not be discarded');
      return output.playedMs(turnAudio(number));
    }
  }

  #clear(number: number): void {
    const { metrics, now, onEvent } = this.#options;
    const turn = this.#turns.get(number);
    const heardMs = this.#silence(number);
    metrics.silenced(now());
    metrics.turnOver(number);
    if (this.#audible === number) this.#audible = undefined;
    const heardText = turn?.heard.heardAt(heardMs) ?? '';
    turn?.abort(new TurnCut('cut_speech', heardText.length, turn.heard.text.length));
    this.#turns.delete(number);
    onEvent({ type: 'cleared', turn: number, heardMs, heardText });
  }
}
