import { describedTools } from '@voice/shared/agent-tools/described-tools';
import type { AgentMcpTools } from '@voice/shared/agent-tools/mcp/agent-mcp-tools';
import type { Clock, Timer } from '@voice/shared/clock/clock';
import type { CallEventBody } from '@voice/shared/contracts/call-events';
import type { CallPlan } from '@voice/shared/contracts/call-plan';
import type { EndReason } from '@voice/shared/contracts/primitives';
import type { CallCommand } from '@voice/shared/contracts/worker';
import type { Log } from '@voice/shared/log/log';
import type { MediaStreamEvent, MediaStreamSink } from '../carriers/port.js';
import { speakTurn, type TurnListener, type TurnSource } from '../pipeline/cascaded.js';
import { buildMessages } from '../pipeline/messages.js';
import { ProviderError } from '../providers/provider-error.js';
import type { Voice } from '../providers/tts/port.js';
import type { CallEnvironment, CallOutput, CallPipeline } from './call-environment.js';
import { classifyToolCall } from './classify-tool-call.js';
import type { DecisionLog } from './decision-log.js';
import { type Heard, Hearing } from './hearing.js';
import { PressedKeys } from './pressed-keys.js';
import { SpokenTurn } from './spoken-turn.js';
import { ToolRunner } from './tool-runner.js';
import { TurnMetricsBook } from './turn-metrics-book.js';
import { decide, initialState } from './turn-taking/decide.js';
import type { Effect } from './turn-taking/effects.js';
import type { TimerName, TurnTakingEvent } from './turn-taking/events.js';
import type { State } from './turn-taking/state.js';
import { machineKind, turnTakingOptions } from './turn-taking-inputs.js';

type Unstamped = TurnTakingEvent extends infer E
  ? E extends TurnTakingEvent
    ? Omit<E, 'at'>
    : never
  : never;

/**
 * One live call: carries out what the turn-taking reducer decides. Everything that happens becomes an
 * event, every decision a list of effects; this class holds no policy of its own.
 */
export class Call {
  readonly id: string;
  readonly plan: CallPlan;
  readonly #environment: CallEnvironment;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #sink: MediaStreamSink;
  readonly #pipeline: CallPipeline;
  readonly #output: CallOutput;
  readonly #keys: PressedKeys;
  readonly #voice: Voice;
  readonly #hearing: Hearing;
  readonly #mcp: AgentMcpTools;
  readonly #tools: ToolRunner;
  readonly #decisions: DecisionLog;
  readonly #metrics = new TurnMetricsBook();
  readonly #turns = new Map<number, SpokenTurn>();
  readonly #timers = new Map<TimerName, Timer>();
  readonly #inbox: Unstamped[] = [];
  readonly #startedAt: number;
  #state: State;
  #deciding = false;
  #ended = false;
  #audibleTurn: number | undefined;
  /** Media-stream position 0 of the caller's audio, in ms since the stream began here. */
  #callerOffsetMs: number | undefined;

  constructor(
    plan: CallPlan,
    started: Extract<MediaStreamEvent, { type: 'started' }>,
    sink: MediaStreamSink,
    environment: CallEnvironment,
  ) {
    this.id = plan.call_id;
    this.plan = plan;
    this.#environment = environment;
    this.#clock = environment.clock;
    this.#log = environment.log.child({ call_id: plan.call_id });
    this.#sink = sink;
    this.#startedAt = this.#clock.monotonic();
    this.#pipeline = environment.assemble(plan, (code, message) =>
      this.#emit({ kind: 'notice', code, message }),
    );

    const options = turnTakingOptions(plan);
    this.#state = initialState(options);
    this.#decisions = environment.openDecisionLog(plan.call_id, options);
    const recorder = this.#pipeline.recorder;
    this.#output = environment.openOutput(sink, {
      onFirstFrame: (turn, at) => {
        if (!PressedKeys.are(turn)) this.#metrics.firstFrame(turn, at - this.#startedAt);
      },
      onFinished: (turn, playedMs) => {
        if (PressedKeys.are(turn)) this.#keys.finished(turn);
        else this.#onPlaybackFinished(turn, playedMs);
      },
      onPlayed: (frame, at) => recorder?.agent(frame, at - this.#startedAt - (this.#callerOffsetMs ?? 0)),
    });
    this.#keys = new PressedKeys(this.#output);
    this.#voice = this.#pipeline.textToSpeech.open({
      choice: this.#pipeline.choices.tts,
      credentials: plan.credentials[this.#pipeline.choices.tts.provider] ?? {},
      language: plan.agent.language,
      clock: this.#clock,
      log: this.#log,
    });
    this.#hearing = new Hearing({
      plan,
      choice: this.#pipeline.choices.stt,
      speechToText: this.#pipeline.speechToText,
      detector: environment.detector,
      captionsUrl: plan.carrier.captions_url && `${plan.carrier.captions_url}/${started.carrierCallId}`,
      clock: this.#clock,
      log: this.#log,
      sinceStart: () => this.#now(),
      onHeard: (event) => this.#onHeard(event),
      onFailed: (code) => this.#dispatch({ type: 'provider_failed', code }),
    });
    // Asked now, while the first message is said; what it has told by then, the model gets with each answer.
    this.#mcp = environment.openMcpTools(plan.agent, ({ code, message }) => {
      this.#log.warn({ reason: code }, message);
      this.#emit({ kind: 'notice', code, message });
    });
    this.#tools = new ToolRunner({
      plan,
      clock: this.#clock,
      now: () => this.#now(),
      emit: (body) => this.#emit(body),
      httpTool: environment.httpTool,
      integrationTool: environment.integrationTool,
      mcp: this.#mcp,
      pressKeys: (digits, signal) => this.#keys.press(digits, signal),
      onFinished: (callId, ok, result) => this.#dispatch({ type: 'tool_finished', callId, ok, result }),
    });

    this.#emit({
      kind: 'media_started',
      carrier_call_id: started.carrierCallId,
      stream_id: started.streamId,
    });
    this.#dispatch({ type: 'call_started' });
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** What the carrier's media stream tells, from its own socket. */
  onMedia(event: MediaStreamEvent): void {
    if (this.#ended) return;
    switch (event.type) {
      case 'audio': {
        const frameMs = event.frame.length / 8;
        this.#callerOffsetMs ??= Math.max(0, this.#now() - frameMs - event.timestampMs);
        this.#pipeline.recorder?.caller(event.frame, event.timestampMs);
        this.#hearing.write(event.frame);
        break;
      }
      case 'dtmf':
        this.#emit({ kind: 'dtmf', digit: event.digit, at_ms: Math.round(this.#now()) });
        this.#dispatch({ type: 'dtmf', digit: event.digit });
        break;
      case 'mark':
        this.#output.markReturned(event.name);
        break;
      case 'stopped':
        this.onStreamClosed();
        break;
      case 'started':
        break;
    }
  }

  /** The media stream is gone. */
  onStreamClosed(): void {
    this.#dispatch({ type: 'carrier_stopped' });
  }

  /** Carries out a command of the control plane. False when the call is already over. */
  command({ command }: CallCommand): boolean {
    if (this.#ended) return false;
    switch (command.kind) {
      case 'hang_up':
        this.#dispatch({ type: 'operator_hangup', reason: command.reason });
        break;
      case 'whisper':
        this.#dispatch({ type: 'whisper', text: command.text });
        break;
      case 'machine_detected': {
        const kind = machineKind(command.answered_by);
        if (kind) this.#dispatch({ type: 'machine_detected', kind });
        break;
      }
      case 'carrier_ended':
        this.#dispatch({ type: 'operator_hangup', reason: command.reason });
        break;
      case 'transfer_result':
        this.#tools.transferResult(command.tool_call_id, command.ok, command.message);
        break;
    }
    return true;
  }

  /** Ends the call from here: the worker stops, or the control plane has given it up. */
  end(reason: EndReason): void {
    this.#dispatch({ type: 'operator_hangup', reason });
  }

  #now(): number {
    return this.#clock.monotonic() - this.#startedAt;
  }

  #emit(body: CallEventBody): void {
    this.#environment.emit(this.id, body);
  }

  #onHeard(event: Heard): void {
    this.#dispatch(event);
  }

  /** Queues the event; decisions are made one after another, also when an effect causes the next event. */
  #dispatch(event: Unstamped): void {
    if (this.#ended) return;
    this.#inbox.push(event);
    if (this.#deciding) return;
    this.#deciding = true;
    try {
      for (let next = this.#inbox.shift(); next && !this.#ended; next = this.#inbox.shift()) {
        if (needsPlaybackPosition(next)) this.#decidePlayback();
        this.#decide(next);
      }
    } finally {
      this.#deciding = false;
    }
    this.#emitFinishedMetrics();
  }

  #emitFinishedMetrics(): void {
    for (const metrics of this.#metrics.takeFinished()) this.#emit({ kind: 'turn_metrics', metrics });
  }

  #decide(event: Unstamped): void {
    const stamped = { ...event, at: this.#now() } as TurnTakingEvent;
    const { state, effects } = decide(this.#state, stamped);
    this.#state = state;
    this.#decisions.record(stamped, effects);
    for (const effect of effects) this.#carryOut(effect);
  }

  /** Tells the reducer how far the audible turn is, before something that may cut it. */
  #decidePlayback(): void {
    const turn = this.#audibleTurn;
    if (turn === undefined) return;
    this.#decide({ type: 'playback', turn, playedMs: this.#output.playedMs(turn) });
  }

  #carryOut(effect: Effect): void {
    switch (effect.type) {
      case 'generate':
        this.#speak(effect.turn, {
          kind: 'answer',
          model: this.#pipeline.languageModel,
          request: {
            choice: this.#pipeline.choices.llm,
            credentials: this.plan.credentials[this.#pipeline.choices.llm.provider] ?? {},
            messages: buildMessages(
              this.plan.agent.system_prompt,
              this.#state.history,
              effect.speculative ? effect.basis : undefined,
            ),
            tools: describedTools(this.plan.agent, this.#mcp.tools),
          },
        });
        break;
      case 'say':
        this.#speak(effect.turn, { kind: 'fixed', text: effect.text });
        break;
      case 'commit':
        // The reducer holds a speculative turn's audio and tools back by itself until here.
        break;
      case 'abort':
        this.#abort(effect.turn);
        break;
      case 'play': {
        const turn = this.#turns.get(effect.turn);
        if (!turn) break;
        this.#audibleTurn = effect.turn;
        turn.play();
        break;
      }
      case 'pause':
        this.#output.pause(effect.turn);
        this.#metrics.silenced(this.#now());
        break;
      case 'resume': {
        const heard = this.#turns.get(effect.turn)?.heard;
        this.#output.resume(effect.turn, heard ? heard.wordStartBefore(effect.fromMs) : effect.fromMs);
        break;
      }
      case 'clear':
        this.#clear(effect.turn);
        break;
      case 'truncate':
        // The cascaded pipeline's model reads the history, which the reducer has already cut.
        break;
      case 'remember':
        this.#emit({
          kind: 'turn',
          turn: {
            ...effect.entry,
            started_at_ms: Math.round(effect.entry.started_at_ms),
            ended_at_ms: Math.round(effect.entry.ended_at_ms),
          },
        });
        break;
      case 'run_tool':
        this.#tools.run(effect.call);
        break;
      case 'set_timer':
        this.#setTimer(effect.name, effect.at);
        break;
      case 'cancel_timer':
        this.#timers.get(effect.name)?.cancel();
        this.#timers.delete(effect.name);
        break;
      case 'hang_up':
        this.#hangUp(effect.reason, effect.errorCode, effect.errorMessage);
        break;
      case 'report':
        this.#metrics.report(effect.metric);
        if (effect.metric.name === 'end_of_turn') {
          this.#metrics.sttFinal(effect.metric.turn, this.#hearing.lastFinalAt);
        }
        break;
    }
  }

  #speak(number: number, source: TurnSource): void {
    const turn = new SpokenTurn(number, this.#output);
    this.#turns.set(number, turn);
    void speakTurn(source, this.#voice, this.#listen(turn, source.kind), turn.signal).then(
      () => this.#spoken(turn),
      (error: unknown) => this.#speakingFailed(turn, error),
    );
  }

  #listen(turn: SpokenTurn, kind: TurnSource['kind']): TurnListener {
    const number = turn.turn;
    return {
      onFirstToken: () => this.#metrics.firstToken(number, this.#now()),
      onSentence: (sentence) => {
        turn.heard.addSentence(sentence);
        if (kind === 'answer') this.#dispatch({ type: 'text', turn: number, sentence });
      },
      onToolCall: (call) => {
        const classified = classifyToolCall(call, this.plan.agent, this.#mcp.tools);
        this.#dispatch({ type: 'tool_call', turn: number, call: classified });
      },
      onGenerated: () => {
        this.#dispatch({ type: 'generation_finished', turn: number });
        if (turn.heard.text === '') this.#dispatch({ type: 'playback_finished', turn: number, playedMs: 0 });
      },
      onAudio: (chunk) => {
        const first = !turn.hasAudio && chunk.audio.length > 0;
        const room = turn.accept(chunk);
        if (first) {
          this.#metrics.firstAudio(number, this.#now());
          this.#dispatch({ type: 'audio_ready', turn: number });
        }
        return room;
      },
    };
  }

  #spoken(turn: SpokenTurn): void {
    if (turn.signal.aborted || this.#ended) return;
    if (turn.heard.text !== '' && !turn.hasAudio) {
      this.#speakingFailed(
        turn,
        new ProviderError({
          provider: this.#pipeline.choices.tts.provider,
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

  #speakingFailed(turn: SpokenTurn, error: unknown): void {
    if (turn.signal.aborted || this.#ended) return;
    const retryable = error instanceof ProviderError ? error.retryable : false;
    const code = error instanceof ProviderError ? error.code : 'internal_error';
    this.#log.warn({ turn: turn.turn, reason: code, error: String(error) }, 'a turn could not be spoken');
    this.#emit({
      kind: 'notice',
      code,
      message: error instanceof ProviderError ? error.message : 'Internal error.',
    });
    this.#dispatch({ type: 'generation_failed', turn: turn.turn, retryable, code });
  }

  #abort(number: number): void {
    const turn = this.#turns.get(number);
    if (!turn) return;
    turn.abort();
    if (this.#audibleTurn === number) return;
    this.#turns.delete(number);
    this.#metrics.dropped(number);
  }

  #clear(number: number): void {
    const turn = this.#turns.get(number);
    const heardMs = this.#output.clear(number);
    this.#metrics.silenced(this.#now());
    this.#metrics.turnOver(number);
    if (this.#audibleTurn === number) this.#audibleTurn = undefined;
    turn?.abort();
    this.#turns.delete(number);
    this.#dispatch({ type: 'cleared', turn: number, heardMs, heardText: turn?.heard.heardAt(heardMs) ?? '' });
  }

  #onPlaybackFinished(turn: number, playedMs: number): void {
    if (this.#audibleTurn === turn) this.#audibleTurn = undefined;
    this.#turns.delete(turn);
    this.#metrics.turnOver(turn);
    this.#dispatch({ type: 'playback_finished', turn, playedMs });
  }

  #setTimer(name: TimerName, at: number): void {
    this.#timers.get(name)?.cancel();
    this.#timers.set(
      name,
      this.#clock.schedule(Math.max(0, at - this.#now()), () => {
        this.#timers.delete(name);
        this.#dispatch({ type: 'timer', name });
      }),
    );
  }

  #hangUp(reason: EndReason, errorCode: string | null, errorMessage: string | null): void {
    this.#ended = true;
    const durationMs = this.#now();
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
    for (const turn of this.#turns.values()) turn.abort();
    this.#turns.clear();
    this.#tools.close();
    this.#mcp.close();
    this.#output.close();
    this.#hearing.close();
    this.#voice.close();
    this.#sink.close();
    this.#emitFinishedMetrics();
    const recorder = this.#pipeline.recorder;
    this.#emit({
      kind: 'ended',
      end_reason: reason,
      duration_ms: Math.round(durationMs),
      error_code: errorCode,
      error_message: errorMessage,
      usage: this.#pipeline.usage(),
      has_recording: recorder !== undefined,
    });
    this.#log.info({ end_reason: reason, duration_ms: Math.round(durationMs) }, 'call ended');
    this.#environment.onEnded(this, { recorder, decisions: this.#decisions });
  }
}

/** Events upon which the reducer may cut or pause the audible turn. */
function needsPlaybackPosition(event: Unstamped): boolean {
  switch (event.type) {
    case 'speech_started':
    case 'speech_stopped':
    case 'transcript':
    case 'end_of_turn':
    case 'timer':
    case 'operator_hangup':
    case 'machine_detected':
    case 'carrier_stopped':
      return true;
    default:
      return false;
  }
}
