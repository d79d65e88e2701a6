import { turnTakingSettings } from '@voice/shared/contracts/agent';
import type { TranscriptTurn } from '@voice/shared/contracts/call-events';
import { decide, initialState, type State } from '../decide.js';
import { describeEffect } from '../describe-effect.js';
import type { Effect, HistoryEntry } from '../effects.js';
import type { TimerName, ToolCall, TurnTakingEvent } from '../events.js';
import type { TurnTakingOptions } from '../port.js';
import { audioMs, type CallerSpeech, type ScriptedCallOptions, textAt, WORD_MS } from './script.js';

export type Unstamped = TurnTakingEvent extends infer E
  ? E extends TurnTakingEvent
    ? Omit<E, 'at'>
    : never
  : never;

interface SpokenTurn {
  readonly id: number;
  readonly speculative: boolean;
  text: string;
  complete: boolean;
  ready: boolean;
  committed: boolean;
  aborted: boolean;
  phase: 'held' | 'playing' | 'paused';
  playedMs: number;
  playingSince: number;
}

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
  readonly #turns = new Map<number, SpokenTurn>();
  readonly #scheduled: { at: number; order: number; task: () => void }[] = [];
  readonly #inbox: Unstamped[] = [];
  #order = 0;
  #deciding = false;
  #lastTurn = 0;
  #generations = 0;
  #voices = 0;
  #tools = 0;

  constructor(script: ScriptedCallOptions = {}) {
    this.#script = script;
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
      const { caller, idleSince } = this.state;
      const quiet = caller.phase === 'silent' || (caller.phase === 'speaking' && caller.noise);
      if (!soon && quiet && idleSince !== null) return this;
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
    this.openTimers.delete(name);
    this.#dispatch({ type: 'timer', name });
  }

  #dispatch(event: Unstamped): void {
    this.#inbox.push(event);
    if (this.#deciding) return;
    this.#deciding = true;
    try {
      for (let next = this.#inbox.shift(); next; next = this.#inbox.shift()) {
        const audible = this.#audible();
        if (audible && next.type !== 'playback_finished' && next.type !== 'cleared') {
          this.#decide({ type: 'playback', turn: audible.id, playedMs: this.#position(audible) });
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
        this.#generate(this.#newTurn(effect.turn, effect.speculative), effect.basis);
        break;
      case 'say':
        this.#say(this.#newTurn(effect.turn, false), effect.text);
        break;
      case 'commit': {
        const turn = this.#turn(effect.turn, effect);
        if (!turn.speculative || turn.committed) throw new Error(`commit of the committed turn ${turn.id}`);
        turn.committed = true;
        if (turn.complete && turn.text === '') this.#turns.delete(turn.id);
        break;
      }
      case 'abort':
        this.#abort(effect.turn);
        break;
      case 'play':
        this.#play(this.#turn(effect.turn, effect));
        break;
      case 'pause': {
        const turn = this.#turn(effect.turn, effect);
        if (turn.phase !== 'playing') throw new Error(`pause of the ${turn.phase} turn ${turn.id}`);
        turn.playedMs = this.#position(turn);
        turn.phase = 'paused';
        break;
      }
      case 'resume': {
        const turn = this.#turn(effect.turn, effect);
        if (turn.phase !== 'paused') throw new Error(`resume of the ${turn.phase} turn ${turn.id}`);
        if (effect.fromMs > turn.playedMs) throw new Error(`turn ${turn.id} resumes beyond what was heard`);
        turn.phase = 'playing';
        turn.playedMs = effect.fromMs;
        turn.playingSince = this.now;
        this.#watchEnd(turn);
        break;
      }
      case 'clear': {
        const turn = this.#turn(effect.turn, effect);
        if (turn.phase === 'held') throw new Error(`clear of turn ${turn.id}, which is not audible`);
        const heardMs = this.#position(turn);
        const heardText = textAt(turn.text, heardMs);
        this.#turns.delete(turn.id);
        if (heardText !== '') this.heard.push(heardText);
        this.#dispatch({ type: 'cleared', turn: turn.id, heardMs, heardText });
        break;
      }
      case 'remember':
        this.#remember(effect.entry);
        break;
      case 'run_tool':
        this.#runTool(effect.turn, effect.call);
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
      case 'report':
        break;
    }
  }

  #newTurn(id: number, speculative: boolean): SpokenTurn {
    if (id !== this.#lastTurn + 1) throw new Error(`turn ${id} after ${this.#lastTurn}`);
    this.#lastTurn = id;
    const turn: SpokenTurn = {
      id,
      speculative,
      text: '',
      complete: false,
      ready: false,
      committed: !speculative,
      aborted: false,
      phase: 'held',
      playedMs: 0,
      playingSince: 0,
    };
    this.#turns.set(id, turn);
    return turn;
  }

  #turn(id: number, effect: Effect): SpokenTurn {
    const turn = this.#turns.get(id);
    if (!turn || turn.aborted) throw new Error(`${describeEffect(effect)}, but the turn is over`);
    return turn;
  }

  #audible(): SpokenTurn | undefined {
    return [...this.#turns.values()].find((turn) => turn.phase !== 'held');
  }

  #say(turn: SpokenTurn, text: string): void {
    if (text === '') throw new Error('nothing to say');
    if (this.#script.voiceFails?.(text)) {
      this.#later(turn, 50, () =>
        this.#dispatch({ type: 'generation_failed', turn: turn.id, retryable: true, code: 'voice_failed' }),
      );
      return;
    }
    turn.text = text;
    turn.complete = true;
    this.#makeAudio(turn);
  }

  #generate(turn: SpokenTurn, basis: string): void {
    const answer = this.#script.model?.(this.#generations++, basis) ?? { sentences: ['Certainly.'] };
    let at = answer.firstTokenMs ?? 200;
    for (const sentence of answer.sentences) {
      this.#later(turn, at, () => {
        turn.text = turn.text === '' ? sentence : `${turn.text} ${sentence}`;
        this.#dispatch({ type: 'text', turn: turn.id, sentence });
        if (!turn.ready) this.#makeAudio(turn);
        this.#watchEnd(turn);
      });
      at += answer.sentenceMs ?? 50;
    }
    for (const call of answer.toolCalls ?? []) {
      this.#later(turn, at, () => this.#dispatch({ type: 'tool_call', turn: turn.id, call }));
    }
    this.#later(turn, at, () => {
      if (answer.fails) {
        const { retryable } = answer.fails;
        this.#dispatch({ type: 'generation_failed', turn: turn.id, retryable, code: 'model_failed' });
        return;
      }
      turn.complete = true;
      if (turn.text === '' && turn.committed) this.#turns.delete(turn.id);
      this.#dispatch({ type: 'generation_finished', turn: turn.id });
      if (turn.text === '') {
        this.#dispatch({ type: 'playback_finished', turn: turn.id, playedMs: 0 });
      }
      this.#watchEnd(turn);
    });
  }

  #makeAudio(turn: SpokenTurn): void {
    this.#later(turn, this.#script.voiceMs?.(this.#voices++) ?? 100, () => {
      if (turn.ready) return;
      turn.ready = true;
      this.#dispatch({ type: 'audio_ready', turn: turn.id });
    });
  }

  #abort(id: number): void {
    const turn = this.#turns.get(id);
    if (!turn) return;
    if (turn.phase !== 'held') throw new Error(`abort of turn ${id} before its clear`);
    turn.aborted = true;
    this.#turns.delete(id);
  }

  #play(turn: SpokenTurn): void {
    const audible = this.#audible();
    if (audible) throw new Error(`turn ${turn.id} plays while ${audible.id} is audible`);
    if (!turn.ready) throw new Error(`turn ${turn.id} plays without audio`);
    if (!turn.committed) throw new Error(`the speculative turn ${turn.id} is heard`);
    turn.phase = 'playing';
    turn.playingSince = this.now;
    this.#watchEnd(turn);
  }

  #position(turn: SpokenTurn): number {
    const spoken = turn.playedMs + (turn.phase === 'playing' ? this.now - turn.playingSince : 0);
    return Math.min(spoken, audioMs(turn.text));
  }

  /** Reports the end of the turn when all its audio was heard and no more will come. */
  #watchEnd(turn: SpokenTurn): void {
    if (turn.phase !== 'playing' || !turn.complete) return;
    this.#later(turn, audioMs(turn.text) - this.#position(turn), () => {
      if (turn.phase !== 'playing' || this.#position(turn) < audioMs(turn.text)) return;
      this.#turns.delete(turn.id);
      this.heard.push(turn.text);
      this.#dispatch({ type: 'playback_finished', turn: turn.id, playedMs: audioMs(turn.text) });
    });
  }

  #later(turn: SpokenTurn, inMs: number, task: () => void): void {
    this.schedule(inMs, () => {
      if (!turn.aborted && this.#turns.get(turn.id) === turn && !this.ended) task();
    });
  }

  #runTool(id: number, call: ToolCall): void {
    const turn = this.#turns.get(id);
    const outside = call.sideEffects || ['end_call', 'transfer_call', 'send_dtmf'].includes(call.kind);
    if (turn && !turn.committed && outside) throw new Error(`the speculative turn ${id} acts outside`);
    const { ok, result } = this.#script.toolResult?.(call) ?? { ok: true, result: 'done' };
    const ms = this.#script.toolMs?.(this.#tools++) ?? 300;
    const finished = { type: 'tool_finished', callId: call.id, ok, result } as const;
    if (ms === 0) this.#dispatch(finished);
    else this.schedule(ms, () => this.#dispatch(finished));
  }

  #remember(entry: TranscriptTurn): void {
    const known = this.transcript[entry.index];
    // A turn whose words are learnt afterwards leaves its place open.
    if (entry.index > this.transcript.length && this.options.hearsWords !== false) {
      throw new Error(`transcript index ${entry.index} leaves a gap`);
    }
    if (known && (known.role !== 'caller' || entry.role !== 'caller')) {
      throw new Error(`transcript index ${entry.index} is used twice`);
    }
    if (entry.ended_at_ms < entry.started_at_ms)
      throw new Error(`transcript index ${entry.index} ends before it starts`);
    this.transcript[entry.index] = entry;
  }

  #hangUp(effect: Extract<Effect, { type: 'hang_up' }>): void {
    if (this.openTimers.size > 0)
      throw new Error(`hang_up leaves open: ${[...this.openTimers.keys()].join(', ')}`);
    if (this.#turns.size > 0) throw new Error(`hang_up leaves turns: ${[...this.#turns.keys()].join(', ')}`);
    this.ended = effect;
  }

  #checkHistory(): void {
    if (this.#inbox.some(({ type }) => type === 'cleared' || type === 'playback_finished')) return;
    const remembered = this.history.flatMap((entry) =>
      entry.role === 'assistant' && entry.text !== '' ? [entry.text] : [],
    );
    if (remembered.join('|') !== this.heard.join('|')) {
      throw new Error(`history says "${remembered.join('|')}", heard was "${this.heard.join('|')}"`);
    }
  }
}
