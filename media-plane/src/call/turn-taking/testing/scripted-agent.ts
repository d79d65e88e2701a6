import { describeEffect } from '../describe-effect.js';
import type { Effect } from '../effects.js';
import { audioMs, type ScriptedCallOptions, textAt, type Unstamped } from './script.js';

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

type AgentEffect = Extract<
  Effect,
  { type: 'generate' | 'say' | 'commit' | 'abort' | 'play' | 'pause' | 'resume' | 'clear' }
>;

export interface ScriptedAgentOptions {
  readonly script: ScriptedCallOptions;
  readonly now: () => number;
  readonly schedule: (inMs: number, task: () => void) => void;
  readonly dispatch: (event: Unstamped) => void;
  readonly isOver: () => boolean;
  /** Gets what was heard of each turn. */
  readonly heard: string[];
}

/** Plays model, voice and paced output of a scripted call, as strictly as real ones. */
export class ScriptedAgent {
  readonly #options: ScriptedAgentOptions;
  readonly #turns = new Map<number, SpokenTurn>();
  #lastTurn = 0;
  #generations = 0;
  #voices = 0;

  constructor(options: ScriptedAgentOptions) {
    this.#options = options;
  }

  carryOut(effect: AgentEffect): void {
    switch (effect.type) {
      case 'generate':
        this.#generate(this.#newTurn(effect.turn, effect.speculative !== false), effect.basis);
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
        turn.playingSince = this.#options.now();
        this.#watchEnd(turn);
        break;
      }
      case 'clear': {
        const turn = this.#turn(effect.turn, effect);
        if (turn.phase === 'held') throw new Error(`clear of turn ${turn.id}, which is not audible`);
        const heardMs = this.#position(turn);
        const heardText = textAt(turn.text, heardMs);
        this.#turns.delete(turn.id);
        if (heardText !== '') this.#options.heard.push(heardText);
        this.#options.dispatch({ type: 'cleared', turn: turn.id, heardMs, heardText });
        break;
      }
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

  /** Returns the turn that is heard or paused, and how much of it was heard. */
  playback(): { readonly id: number; readonly playedMs: number } | undefined {
    const turn = this.#audible();
    return turn && { id: turn.id, playedMs: this.#position(turn) };
  }

  get liveTurns(): readonly number[] {
    return [...this.#turns.keys()];
  }

  /** Returns whether the turn may not act outside: it is speculative and not committed. */
  isUncommitted(id: number): boolean {
    return this.#turns.get(id)?.committed === false;
  }

  #audible(): SpokenTurn | undefined {
    return [...this.#turns.values()].find((turn) => turn.phase !== 'held');
  }

  #say(turn: SpokenTurn, text: string): void {
    if (text === '') throw new Error('nothing to say');
    if (this.#options.script.voiceFails?.(text)) {
      this.#later(turn, 50, () =>
        this.#options.dispatch({
          type: 'generation_failed',
          turn: turn.id,
          retryable: true,
          code: 'voice_failed',
        }),
      );
      return;
    }
    turn.text = text;
    turn.complete = true;
    this.#makeAudio(turn);
  }

  #generate(turn: SpokenTurn, basis: string): void {
    const answer = this.#options.script.model?.(this.#generations++, basis) ?? { sentences: ['Certainly.'] };
    let at = answer.firstTokenMs ?? 200;
    for (const sentence of answer.sentences) {
      this.#later(turn, at, () => {
        turn.text = turn.text === '' ? sentence : `${turn.text} ${sentence}`;
        this.#options.dispatch({ type: 'text', turn: turn.id, sentence });
        if (!turn.ready) this.#makeAudio(turn);
        this.#watchEnd(turn);
      });
      at += answer.sentenceMs ?? 50;
    }
    for (const call of answer.toolCalls ?? []) {
      this.#later(turn, at, () => this.#options.dispatch({ type: 'tool_call', turn: turn.id, call }));
    }
    this.#later(turn, at, () => {
      if (answer.fails) {
        if (answer.fails.playsOut && turn.phase !== 'held') turn.complete = true;
        this.#options.dispatch({
          type: 'generation_failed',
          turn: turn.id,
          code: 'model_failed',
          ...answer.fails,
        });
        this.#watchEnd(turn);
        return;
      }
      turn.complete = true;
      if (turn.text === '' && turn.committed) this.#turns.delete(turn.id);
      this.#options.dispatch({ type: 'generation_finished', turn: turn.id });
      if (turn.text === '') {
        this.#options.dispatch({ type: 'playback_finished', turn: turn.id, playedMs: 0 });
      }
      this.#watchEnd(turn);
    });
  }

  #makeAudio(turn: SpokenTurn): void {
    this.#later(turn, this.#options.script.voiceMs?.(this.#voices++) ?? 100, () => {
      if (turn.ready) return;
      turn.ready = true;
      this.#options.dispatch({ type: 'audio_ready', turn: turn.id });
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
    turn.playingSince = this.#options.now();
    this.#watchEnd(turn);
  }

  #position(turn: SpokenTurn): number {
    const spoken = turn.playedMs + (turn.phase === 'playing' ? this.#options.now() - turn.playingSince : 0);
    return Math.min(spoken, audioMs(turn.text));
  }

  /** Reports the end of the turn when all its audio was heard and no more will come. */
  #watchEnd(turn: SpokenTurn): void {
    if (turn.phase !== 'playing' || !turn.complete) return;
    this.#later(turn, audioMs(turn.text) - this.#position(turn), () => {
      if (turn.phase !== 'playing' || this.#position(turn) < audioMs(turn.text)) return;
      this.#turns.delete(turn.id);
      this.#options.heard.push(turn.text);
      this.#options.dispatch({ type: 'playback_finished', turn: turn.id, playedMs: audioMs(turn.text) });
    });
  }

  #later(turn: SpokenTurn, inMs: number, task: () => void): void {
    this.#options.schedule(inMs, () => {
      if (!turn.aborted && this.#turns.get(turn.id) === turn && !this.#options.isOver()) task();
    });
  }
}
