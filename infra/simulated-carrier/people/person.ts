import { encodeMulaw, FRAME_BYTES, FRAME_MS, MULAW_SILENCE } from '@voice/shared/audio/g711';
import { AgentTurn } from './agent-turn.js';
import { framesOf, type Phrase, type Phrasebook, tone } from './phrasebook.js';
import type { Move, PersonScript } from './script.js';
import type { SpeechDetector } from './speech-detector.js';

/** A voicemail's tone. */
const BEEP = framesOf(encodeMulaw(tone(1000, 500, 8000)));
/** A person who is talked over for so long, with so much left to say, stops and says it again later. In ms. */
const YIELD_AFTER_MS = 1200;
const YIELD_REST_MS = 400;
/** A person who has said everything hangs up when nothing happens any more, in ms. */
const PATIENCE_WHEN_DONE_MS = 5000;
/** A person who waits for an agent that says nothing gives up, in ms. */
const PATIENCE_MS = 30_000;
/** From one pressed key to the next, in ms. */
const KEY_INTERVAL_MS = 240;

export type PersonEvent =
  /** Begins to say the phrase with this very frame. */
  | { readonly type: 'speaks'; readonly utterance: number; readonly phrase: Phrase }
  /** Has stopped before the phrase's end; this frame is the first without it. */
  | { readonly type: 'stops'; readonly utterance: number }
  /** Presses a key of the phone. */
  | { readonly type: 'presses'; readonly key: string }
  /** A voicemail's tone is over. */
  | { readonly type: 'beeped' }
  | { readonly type: 'hangs_up' };

export interface Step {
  /** What is said in these 20 ms. */
  readonly frame: Uint8Array;
  readonly events: readonly PersonEvent[];
}

const SILENCE = new Uint8Array(FRAME_BYTES).fill(MULAW_SILENCE);

interface Saying {
  readonly utterance: number;
  readonly frames: readonly Uint8Array[];
  readonly move: Move;
  at: number;
}

export interface PersonOptions {
  readonly script: PersonScript;
  readonly phrasebook: Phrasebook;
  /** Hears whether the agent speaks. */
  readonly speechDetector: SpeechDetector;
}

/**
 * A simulated person on the line: takes 20 ms, gives 20 ms. Follows the script by when the agent speaks and
 * stops; it has no clock but the frames.
 */
export class Person {
  readonly #script: PersonScript;
  readonly #phrasebook: Phrasebook;
  readonly #speechDetector: SpeechDetector;
  readonly #agent = new AgentTurn();
  readonly #recorded: Uint8Array[] = [];
  #move = 0;
  #saying: Saying | undefined;
  #utterances = 0;
  /** How long the move in work has waited. */
  #waitedMs = 0;
  /** How long the agent has been talking into what is said now. */
  #talkedOverMs = 0;
  #hungUp = false;
  readonly #keys: string[] = [];
  #sinceKeyMs = KEY_INTERVAL_MS;

  constructor({ script, phrasebook, speechDetector }: PersonOptions) {
    this.#script = script;
    this.#phrasebook = phrasebook;
    this.#speechDetector = speechDetector;
  }

  /** What a voicemail has recorded, mu-law at 8,000 Hz. */
  get recording(): Uint8Array {
    return Buffer.concat(this.#recorded);
  }

  /** Presses the keys from now on, one after the other, whatever the script does. */
  press(keys: string): void {
    this.#keys.push(...keys);
  }

  step(heard: Uint8Array): Step {
    const events: PersonEvent[] = [];
    this.#pressKey(events);
    const speech = this.#speechDetector.isSpeech(heard);
    this.#agent.take(speech);
    const move = this.#script.moves[this.#move];
    if (move?.does === 'record') this.#recorded.push(Uint8Array.from(heard));
    if (this.#saying) this.#yield(speech, events);
    if (!this.#saying && !this.#hungUp) this.#wait(events);
    return { frame: this.#speak(events), events };
  }

  close(): void {
    this.#speechDetector.close();
  }

  #wait(events: PersonEvent[]): void {
    this.#waitedMs += FRAME_MS;
    const move = this.#script.moves[this.#move];
    const agent = this.#agent;
    switch (move?.does) {
      case 'reply':
        if (agent.endedFor(move.gapMs)) this.#say(move, events);
        else this.#giveUp(PATIENCE_MS, events);
        return;
      case 'interrupt':
        if ((agent.speaking && agent.spokenMs >= move.afterMs) || agent.endedFor(0)) this.#say(move, events);
        else this.#giveUp(PATIENCE_MS, events);
        return;
      case 'hang_up':
        if (agent.spokenMs >= move.afterMs || agent.endedFor(0)) this.#hangUp(events);
        else this.#giveUp(PATIENCE_MS, events);
        return;
      case 'announce':
        this.#say(move, events);
        return;
      case 'beep':
        this.#saying = { utterance: -1, frames: BEEP, move, at: 0 };
        return;
      case 'record':
        if (this.#waitedMs >= move.longestMs) this.#hangUp(events);
        else this.#giveUp(move.silenceMs, events);
        return;
      case 'stay_silent':
        if (this.#waitedMs >= move.ms) this.#hangUp(events);
        return;
      case undefined:
        if (agent.endedFor(PATIENCE_WHEN_DONE_MS)) this.#hangUp(events);
        else this.#giveUp(PATIENCE_MS, events);
    }
  }

  /** Hangs up when nothing comes any more: neither the agent's speech nor the end of the call. */
  #giveUp(afterMs: number, events: PersonEvent[]): void {
    if (Math.min(this.#waitedMs, this.#agent.silentMs) >= afterMs) this.#hangUp(events);
  }

  #say(move: Move & { readonly text: string }, events: PersonEvent[]): void {
    const phrase = this.#phrasebook.phrase(this.#script.voice, move.text);
    const utterance = this.#utterances++;
    this.#saying = { utterance, frames: framesOf(phrase.audio), move, at: 0 };
    this.#talkedOverMs = 0;
    events.push({ type: 'speaks', utterance, phrase });
  }

  /** Gives way to the agent, but for people who interrupt and for machines. */
  #yield(speech: boolean, events: PersonEvent[]): void {
    const saying = this.#saying!;
    if (saying.move.does !== 'reply') return;
    if (speech) this.#talkedOverMs += FRAME_MS;
    const restMs = (saying.frames.length - saying.at) * FRAME_MS;
    if (this.#talkedOverMs < YIELD_AFTER_MS || restMs < YIELD_REST_MS) return;
    events.push({ type: 'stops', utterance: saying.utterance });
    this.#saying = undefined;
    this.#waitedMs = 0;
  }

  #speak(events: PersonEvent[]): Uint8Array {
    const saying = this.#saying;
    if (!saying) return SILENCE;
    const frame = saying.frames[saying.at++]!;
    if (saying.at === saying.frames.length) {
      this.#saying = undefined;
      this.#move++;
      this.#waitedMs = 0;
      if (saying.move.does === 'interrupt') this.#agent.interrupted();
      else this.#agent.forget();
      if (saying.move.does === 'beep') events.push({ type: 'beeped' });
    }
    return frame;
  }

  #pressKey(events: PersonEvent[]): void {
    this.#sinceKeyMs += FRAME_MS;
    if (this.#sinceKeyMs < KEY_INTERVAL_MS) return;
    const key = this.#keys.shift();
    if (key === undefined) return;
    this.#sinceKeyMs = 0;
    events.push({ type: 'presses', key });
  }

  #hangUp(events: PersonEvent[]): void {
    this.#hungUp = true;
    events.push({ type: 'hangs_up' });
  }
}
