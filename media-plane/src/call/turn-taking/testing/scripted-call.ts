import { turnTakingSettings } from '@voice/shared/contracts/agent';
import type { TranscriptTurn } from '@voice/shared/contracts/call-events';
import { decide, initialState, type State } from '../decide.js';
import { describeEffect } from '../describe-effect.js';
import type { Effect, HistoryEntry } from '../effects.js';
import type { TimerName, ToolCall, TurnTakingEvent } from '../events.js';
import type { TurnTakingOptions } from '../port.js';
import { type CallerSpeech, type ScriptedCallOptions, type Unstamped, WORD_MS } from './script.js';
import { ScriptedAgent } from './scripted-agent.js';
import { addToTranscript, checkHistory } from './transcript-checks.js';

/**
 * Plays a call in which all but the reducer is scripted: model, voice, tools, timers and carrier answer the effects as
 * real ones do, on a clock of its own. It is strict: an effect that a real executor could not carry out, or that breaks
 * one of the reducer's promises, throws.
 */
export class ScriptedCall {
  now = 0;
  state: State;
  ended: Extract<Effect, { type: 'hang_up' }> | undefined;
  readonly effects: { readonly at: number; readonly effect: Effect }[] = [];
  readonly log: { readonly event: TurnTakingEvent; readonly effects: readonly Effect[] }[] = [];
  readonly options: TurnTakingOptions;
  readonly heard: string[] = [];
  readonly transcript: TranscriptTurn[] = [];
  readonly openTimers = new Map<TimerName, number>();
  readonly #script: ScriptedCallOptions;
  readonly #agent: ScriptedAgent;
  readonly #scheduled: { at: number; order: number; task: () => void }[] = [];
  readonly #inbox: Unstamped[] = [];
  #order = 0;
  #deciding = false;
  #tools = 0;
  /** Somebody has listened who learns the words afterwards. */
  #mayLeaveGaps = false;
  readonly #cancelled = new Set<string>();

  constructor(script: ScriptedCallOptions = {}) {
    this.#script = script;
    this.#agent = new ScriptedAgent({
      script,
      now: () => this.now,
      schedule: (inMs, task) => this.schedule(inMs, task),
      dispatch: (event) => this.#dispatch(event),
      isOver: () => this.ended !== undefined,
      heard: this.heard,
    });
    this.options = {
      settings: { ...turnTakingSettings.parse({}), ...script.settings },
      disclosure: null,
      firstMessage: '',
      language: 'en-US',
      maxDurationMs: 30 * 60_000,
      silenceTimeoutMs: 8000,
      voicemail: { detect: true, action: 'hangup', message: '' },
      ...script.options,
    };
    this.state = initialState(this.options);
  }

  /** Begins the media stream. */
  start(): this {
    this.send({ type: 'call_started' });
    return this;
  }

  /** Lets time pass: what falls due happens in order. */
  run(ms: number): this {
    const until = this.now + ms;
    for (;;) {
      const next = this.#nextDue();
      if (!next || next.at > until) break;
      this.now = Math.max(this.now, next.at);
      next.task();
    }
    this.now = until;
    return this;
  }

  /** Lets time pass until the effect is asked for; throws when it is not within a minute. */
  until(type: Effect['type'], match: (effect: Effect) => boolean = () => true): this {
    const from = this.effects.length;
    const limit = this.now + 60_000;
    const seen = () => this.effects.slice(from).some(({ effect }) => effect.type === type && match(effect));
    while (!seen()) {
      const next = this.#nextDue();
      if (!next || next.at > limit)
        throw new Error(`no ${type} within a minute:\n${this.trace().join('\n')}`);
      this.now = Math.max(this.now, next.at);
      next.task();
    }
    return this;
  }

  /** Lets time pass until both sides have said what they are about to say. */
  untilQuiet(): this {
    for (let step = 0; step < 6000 && !this.ended; step += 1) {
      this.run(10);
      const soon = this.#scheduled.some(({ at }) => at < this.now + 3000);
      const { caller, idleSince, tools } = this.state;
      const quiet = caller.phase === 'silent' || (caller.phase === 'speaking' && caller.noise);
      if (!soon && quiet && idleSince !== null && tools.length === 0) return this;
    }
    return this;
  }

  schedule(inMs: number, task: () => void): void {
    this.#scheduled.push({ at: this.now + inMs, order: this.#order++, task });
  }

  /** Sends an event from outside, now or in `inMs`. */
  send(event: Unstamped, inMs = 0): this {
    if (inMs > 0) this.schedule(inMs, () => this.#dispatch(event));
    else this.#dispatch(event);
    return this;
  }

  /**
   * Lets the caller speak from now on: detector and recogniser report it with their usual delays. Returns the ms that
   * the speech lasts.
   */
  callerSays(
    text: string,
    { interimMs = 150, finalMs = 250, wordMs = WORD_MS, confidence = 0.9 }: CallerSpeech = {},
  ): number {
    const words = text.split(' ');
    const lasts = words.length * wordMs;
    const startedAt = this.now;
    this.send({ type: 'speech_started', startedAt }, 60);
    words.forEach((_, index) => {
      const spoken = words.slice(0, index + 1).join(' ');
      this.send(
        { type: 'transcript', text: spoken, final: false, confidence },
        (index + 1) * wordMs + interimMs,
      );
    });
    this.callerStops(lasts, startedAt);
    this.send(
      { type: 'transcript', text, final: true, confidence },
      lasts + Math.max(finalMs, interimMs + 1),
    );
    return lasts;
  }

  /** Lets the caller speak to a speech-to-speech model: the detector alone reports it. Returns the speech's ms. */
  callerSpeaks(lastsMs: number): number {
    this.callerCoughs(lastsMs);
    return lastsMs;
  }

  /** Lets the caller make a sound without words. */
  callerCoughs(lastsMs: number): void {
    this.send({ type: 'speech_started', startedAt: this.now }, 60);
    this.callerStops(lastsMs, this.now);
  }

  callerStops(lastsMs: number, startedAt: number): void {
    this.send({ type: 'speech_stopped', stoppedAt: startedAt + lastsMs }, lastsMs + 200);
  }

  get history(): readonly HistoryEntry[] {
    return this.state.history;
  }

  /** Returns the effects so far (timers and reports left out), readable; from the n-th on. */
  trace(from = 0): string[] {
    return this.effects
      .slice(from)
      .map(({ effect }) => effect)
      .filter(({ type }) => type !== 'set_timer' && type !== 'cancel_timer' && type !== 'report')
      .map(describeEffect);
  }

  all<T extends Effect['type']>(type: T): Extract<Effect, { type: T }>[] {
    return this.effects
      .map(({ effect }) => effect)
      .filter((effect): effect is Extract<Effect, { type: T }> => effect.type === type);
  }

  /** Returns when the first effect of the kind was asked for; throws when it was not. */
  timeOf(type: Effect['type'], match: (effect: Effect) => boolean = () => true): number {
    const found = this.effects.find(({ effect }) => effect.type === type && match(effect));
    if (!found) throw new Error(`no ${type}:\n${this.trace().join('\n')}`);
    return found.at;
  }

  #nextDue(): { at: number; task: () => void } | undefined {
    let best: { at: number; order: number; task: () => void } | undefined;
    for (const entry of this.#scheduled) {
      if (!best || entry.at < best.at || (entry.at === best.at && entry.order < best.order)) best = entry;
    }
    for (const [name, at] of this.openTimers) {
      if (best && best.at <= at) continue;
      best = { at, order: -1, task: () => this.#fire(name) };
    }
    if (!best) return undefined;
    const chosen = best;
    return {
      at: chosen.at,
      task: () => {
        const position = this.#scheduled.indexOf(chosen);
        if (position >= 0) this.#scheduled.splice(position, 1);
        chosen.task();
      },
    };
  }

  #fire(name: TimerName): void {
    this.#dispatch({ type: 'timer', name });
  }

  #dispatch(event: Unstamped): void {
    // A timer fires once, whether in time or not.
    if (event.type === 'timer') this.openTimers.delete(event.name);
    this.#inbox.push(event);
    if (this.#deciding) return;
    this.#deciding = true;
    try {
      for (let next = this.#inbox.shift(); next; next = this.#inbox.shift()) {
        const audible = this.#agent.playback();
        if (audible && next.type !== 'playback_finished' && next.type !== 'cleared') {
          this.#decide({ type: 'playback', turn: audible.id, playedMs: audible.playedMs });
        }
        this.#decide(next);
      }
    } finally {
      this.#deciding = false;
    }
  }

  #decide(unstamped: Unstamped): void {
    const event = { ...unstamped, at: this.now } as TurnTakingEvent;
    const { state, effects } = decide(this.state, event);
    this.state = state;
    this.#mayLeaveGaps ||= !state.hearsWords;
    this.log.push({ event, effects });
    for (const effect of effects) {
      this.effects.push({ at: this.now, effect });
      this.#carryOut(effect);
    }
    this.#checkHistory();
  }

  #carryOut(effect: Effect): void {
    if (this.ended) throw new Error(`${describeEffect(effect)} after hang_up`);
    switch (effect.type) {
      case 'generate':
      case 'say':
      case 'commit':
      case 'abort':
      case 'play':
      case 'pause':
      case 'resume':
      case 'clear':
        this.#agent.carryOut(effect);
        break;
      case 'remember':
        addToTranscript(this.transcript, effect.entry, { mayLeaveGaps: this.#mayLeaveGaps });
        break;
      case 'run_tool':
        this.#runTool(effect.turn, effect.call);
        break;
      case 'cancel_tool':
        this.#cancelled.add(effect.call.id);
        break;
      case 'set_timer':
        this.openTimers.set(effect.name, Math.max(this.now, effect.at));
        break;
      case 'cancel_timer':
        if (!this.openTimers.delete(effect.name))
          throw new Error(`cancel of ${effect.name}, which is not open`);
        break;
      case 'hang_up':
        this.#hangUp(effect);
        break;
      case 'truncate':
      case 'notice':
      case 'report':
        break;
    }
  }

  #runTool(id: number, call: ToolCall): void {
    const outside = call.sideEffects || ['end_call', 'transfer_call', 'send_dtmf'].includes(call.kind);
    if (this.#agent.isUncommitted(id) && outside) throw new Error(`the speculative turn ${id} acts outside`);
    const { ok, result } = this.#script.toolResult?.(call) ?? { ok: true, result: 'done' };
    const ms = this.#script.toolMs?.(this.#tools++) ?? 300;
    const finish = () => {
      if (!this.#cancelled.has(call.id))
        this.#dispatch({ type: 'tool_finished', callId: call.id, ok, result });
    };
    if (ms === 0) finish();
    else this.schedule(ms, finish);
  }

  #hangUp(effect: Extract<Effect, { type: 'hang_up' }>): void {
    if (this.openTimers.size > 0)
      throw new Error(`hang_up leaves open: ${[...this.openTimers.keys()].join(', ')}`);
    const { liveTurns } = this.#agent;
    if (liveTurns.length > 0) throw new Error(`hang_up leaves turns: ${liveTurns.join(', ')}`);
    this.ended = effect;
  }

  #checkHistory(): void {
    if (this.#inbox.some(({ type }) => type === 'cleared' || type === 'playback_finished')) return;
    checkHistory(this.history, this.heard);
  }
}
