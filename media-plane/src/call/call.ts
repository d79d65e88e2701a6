import { isSensitiveTool } from '@voice/shared/agent-tools/sensitive-tools';
import type { Clock } from '@voice/shared/clock/clock';
import type { CallEventBody } from '@voice/shared/contracts/call-events';
import type { CallPlan } from '@voice/shared/contracts/call-plan';
import type { EndReason } from '@voice/shared/contracts/primitives';
import type { CallCommand } from '@voice/shared/contracts/worker';
import type { Log } from '@voice/shared/log/log';
import type { MediaLine } from '../lines/port.js';
import { AgentTurns } from './agent-turns.js';
import { CallAgents } from './call-agents.js';
import type { CallEnvironment, CallOutput } from './call-environment.js';
import { endedEvent, noticeEvent, turnEvent } from './call-event-bodies.js';
import { CallObservers } from './call-observers.js';
import { CallTimers } from './call-timers.js';
import { CallerAudio } from './caller-audio.js';
import { carryOutCommand } from './carry-out-command.js';
import type { DecisionLog } from './decision-log.js';
import { DecisionLoop, type Unstamped } from './decision-loop.js';
import { lineListener } from './line-listener.js';
import { noUsage } from './no-usage.js';
import type { Notice, PreparedCall } from './prepared-calls.js';
import { PressedKeys } from './pressed-keys.js';
import { runEach, type Steps } from './run-each.js';
import { SensitiveCalls } from './sensitive-calls.js';
import { ToolCallIds } from './tool-call-ids.js';
import { ToolRunner } from './tool-runner.js';
import { TurnMetricsCollector } from './turn-metrics-collector.js';
import type { Effect } from './turn-taking/effects.js';
import { turnTakingOptions } from './turn-taking-inputs.js';

export interface CallOptions {
  readonly prepared: PreparedCall;
  readonly line: MediaLine;
  readonly environment: CallEnvironment;
}

/**
 * Runs one live call: carries out what the turn-taking reducer decides. Everything that happens becomes an event, every
 * decision a list of effects; this class holds no policy of its own.
 */
export class Call {
  readonly id: string;
  readonly plan: CallPlan;
  readonly #options: CallOptions;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #agents: CallAgents;
  readonly #observers: CallObservers;
  readonly #output: CallOutput;
  readonly #keys: PressedKeys;
  readonly #turns: AgentTurns;
  readonly #tools: ToolRunner;
  readonly #toolCallIds = new ToolCallIds();
  readonly #timers: CallTimers;
  readonly #decisions: DecisionLog;
  readonly #loop: DecisionLoop;
  readonly #metrics = new TurnMetricsCollector();
  readonly #startedAt: number;
  readonly #callerAudio: CallerAudio;
  #ended = false;
  #isEndEmitted = false;

  constructor(options: CallOptions) {
    this.#options = options;
    const { prepared, line, environment } = options;
    const { plan } = prepared;
    this.id = plan.call_id;
    this.plan = plan;
    this.#clock = environment.clock;
    this.#log = environment.log.child({ call_id: plan.call_id });
    this.#startedAt = this.#clock.monotonic();

    const agents = new CallAgents({
      first: prepared,
      environment,
      format: line.format,
      now: () => this.#now(),
      emit: (body) => this.#emit(body),
      onNotice: (notice) => this.#notice(notice),
      onReady: (agent) => this.#dispatch({ type: 'handoff_ready', agent }),
    });
    this.#agents = agents;
    const { conversation } = agents;
    const turnTaking = turnTakingOptions(plan, {
      hearsWords: conversation.hearsWords,
      turnDeadlineMs: environment.turnDeadlineMs?.(plan),
      recogniser: environment.statistics?.habitsFor(plan),
    });
    const sensitive = new SensitiveCalls((name) => isSensitiveTool(agents.plan.agent.tools, name));
    this.#loop = new DecisionLoop({
      options: turnTaking,
      now: () => this.#now(),
      playback: () => this.#turns.playback(),
      onDecided: (event, state, effects) => {
        const recorded = sensitive.withheld(event, effects);
        this.#decisions.record(recorded.event, recorded.effects);
        this.#observers.decided(event, state);
      },
      carryOut: (effect) => this.#carryOut(effect),
      onSettled: () => this.#emitFinishedMetrics(),
      attempt: (steps) => this.#attempt(steps),
    });
    this.#decisions = environment.openDecisionLog(plan.call_id, turnTaking);
    this.#timers = new CallTimers(this.#clock, (name) => this.#dispatch({ type: 'timer', name }));
    this.#observers = new CallObservers({
      line,
      tap: environment.openTap(plan.call_id),
      recorder: environment.openRecorder(plan, line.format),
      clock: this.#clock,
      now: () => this.#now(),
      emit: (body) => this.#emit(body),
    });
    this.#output = environment.openOutput(line, {
      onFirstFrame: (id, at) => {
        if (id.kind === 'turn') this.#metrics.firstFrame(id.turn, at - this.#startedAt);
      },
      onFinished: (id, playedMs) => {
        if (id.kind === 'keys') this.#keys.finished(id.press);
        else this.#turns.finished(id.turn, playedMs);
      },
      onPlayed: (frame, at) => this.#observers.agentAudio(frame, at - this.#startedAt),
    });
    this.#callerAudio = new CallerAudio({
      format: line.format,
      now: () => this.#now(),
      conversation,
      observers: this.#observers,
      isAnswerOpen: () => this.#loop.state.answer.open,
      onBeep: (beep) => this.#dispatch({ type: 'beep', ...beep }),
    });
    this.#keys = new PressedKeys(this.#output, line.format);
    this.#turns = new AgentTurns({
      conversation,
      output: this.#output,
      format: line.format,
      metrics: this.#metrics,
      log: this.#log,
      now: () => this.#now(),
      history: () => this.#loop.state.history,
      tools: () => agents.tools(),
      classify: (turn, call) => this.#toolCallIds.named(turn, agents.classify(call)),
      onEvent: (event) => this.#dispatch(event),
      emit: (body) => this.#emit(body),
    });
    this.#tools = new ToolRunner({
      // Of the agent that speaks when the tool is run.
      get plan() {
        return agents.plan;
      },
      get mcp() {
        return agents.mcp;
      },
      clock: this.#clock,
      now: () => this.#now(),
      emit: (body) => this.#emit(body),
      httpTool: environment.httpTool,
      integrationTool: environment.integrationTool,
      handOver: (wish, signal) => agents.handOver(wish, signal),
      pressKeys: (digits, signal) => this.#keys.press(digits, signal),
      onSensitive: (callId, running) => this.#observers.sensitiveTool(callId, running),
      onFinished: (callId, ok, result) => this.#dispatch({ type: 'tool_finished', callId, ok, result }),
    });
    this.#begin();
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Carries out a command of the control plane. False when the call is already over. */
  command(command: CallCommand): boolean {
    if (this.#ended) return false;
    const dispatch = (event: Unstamped) => this.#dispatch(event);
    carryOutCommand(command, { dispatch, observers: this.#observers, tools: this.#tools });
    return true;
  }

  /** Ends the call from here: the worker stops, or the control plane has given it up. */
  end(reason: EndReason): void {
    this.#dispatch({ type: 'operator_hangup', reason });
  }

  #begin(): void {
    const { streamId, carrierCallId, format } = this.#options.line;
    const captions = this.plan.carrier.captions_url;
    this.#emit({ kind: 'media_started', carrier_call_id: carrierCallId, stream_id: streamId });
    this.#options.prepared.begin((notice) => this.#notice(notice));
    this.#agents.conversation.listen(
      {
        onHeard: (event) => this.#dispatch(event),
        onInterim: (text) => this.#observers.callerInterim(text, this.#now()),
        onFailed: (error) => this.#dispatch({ type: 'provider_failed', code: error.code }),
        onReplaced: (hearsWords, hearsAgain) =>
          this.#dispatch({ type: 'conversation_replaced', hearsWords, hearsAgain }),
        sinceStart: () => this.#now(),
        captionsUrl: captions && `${captions}/${carrierCallId}`,
        history: () => this.#loop.state.history,
      },
      format,
    );
    const lineEvents = lineListener({
      now: () => this.#now(),
      onAudio: (frame, positionMs) => {
        if (!this.#ended) this.#callerAudio.take(frame, positionMs);
      },
      onMark: (name) => this.#output.markReturned(name),
      dispatch: (event) => this.#dispatch(event),
      emit: (body) => this.#emit(body),
    });
    this.#options.line.listen(lineEvents);
    // Before the first word: whatever is generated for it knows them.
    for (const text of this.#options.prepared.takeNotes()) this.#dispatch({ type: 'whisper', text });
    this.#dispatch({ type: 'call_started' });
  }

  #notice({ code, message }: Notice): void {
    this.#log.warn({ reason: code }, message);
    this.#emit(noticeEvent(code, message));
  }

  #now(): number {
    return this.#clock.monotonic() - this.#startedAt;
  }

  /**
   * Emits nothing after `ended`: the spool forgets a call with that, and would number it anew. Never throws: what a call
   * does must not depend on whether it can be recorded.
   */
  #emit(body: CallEventBody): void {
    if (this.#isEndEmitted) return;
    this.#isEndEmitted = body.kind === 'ended';
    this.#attempt({ emit: () => this.#options.environment.emit(this.id, body) });
  }

  #attempt(steps: Steps): void {
    runEach(steps, (step, error) =>
      this.#log.error({ step, error: String(error) }, 'a step of the call failed'),
    );
  }

  #dispatch(event: Unstamped): void {
    this.#loop.dispatch(event);
  }

  #emitFinishedMetrics(): void {
    for (const metrics of this.#metrics.takeFinished()) this.#emit({ kind: 'turn_metrics', metrics });
  }

  #carryOut(effect: Effect): void {
    switch (effect.type) {
      case 'remember':
        this.#emit(turnEvent(effect.entry));
        break;
      case 'run_tool':
        this.#tools.run(effect.call);
        break;
      case 'cancel_tool':
        this.#tools.cancel(effect.call.id);
        break;
      case 'hand_over':
        this.#agents.takeOver();
        break;
      case 'set_timer':
        this.#timers.set(effect.name, effect.at - this.#now());
        break;
      case 'cancel_timer':
        this.#timers.cancel(effect.name);
        break;
      case 'hang_up':
        this.#hangUp(effect);
        break;
      case 'notice':
        this.#emit(noticeEvent(effect.code, effect.message));
        break;
      case 'report':
        this.#metrics.report(effect.metric, this.#agents.conversation.lastFinalAt);
        this.#options.environment.statistics?.report(effect.metric);
        break;
      default:
        this.#turns.carryOut(effect);
    }
  }

  #hangUp(effect: Extract<Effect, { type: 'hang_up' }>): void {
    this.#ended = true;
    this.#loop.stop();
    const { line, environment } = this.#options;
    const durationMs = Math.round(this.#now());
    const { recorder } = this.#observers;
    let usage = noUsage(this.plan);
    this.#attempt({
      timers: () => this.#timers.cancelAll(),
      turns: () => this.#turns.close(),
      tools: () => this.#tools.close(),
      agents: () => this.#agents.close(),
      output: () => this.#output.close(),
      conversation: () => this.#agents.conversation.close(),
      metrics: () => this.#emitFinishedMetrics(),
      observers: () => this.#observers.close(),
      usage: () => {
        usage = this.#agents.conversation.usage();
      },
      statistics: () =>
        environment.statistics?.ended(this.#agents.plan, usage, this.#loop.state.guessing.recogniser),
      ended: () =>
        this.#emit(endedEvent(effect, { durationMs, usage, hasRecording: recorder !== undefined })),
      // Its last event comes before the line's end.
      line: () => line.close(),
      log: () => this.#log.info({ end_reason: effect.reason, duration_ms: durationMs }, 'call ended'),
      // Whatever failed before: its place is free, and drain comes to its end.
      place: () => environment.onEnded(this.id, { recorder, decisions: this.#decisions }),
    });
  }
}
