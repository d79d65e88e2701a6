import { FRAME_MS } from '@voice/shared/audio/g711';

/** Speech frames among the last ones that make it speech: single frames are clicks. */
const WINDOW_FRAMES = 6;
const SPEECH_FRAMES = 3;
/** Pauses up to this long are inside a turn: sentences are this far apart. In ms. */
const HANGOVER_MS = 700;
/** Silence after which speech is no more the rest of what was interrupted, in ms. */
const CUT_MS = 240;
/** Less speech than this is no turn, in ms. */
const SHORTEST_TURN_MS = 200;

/** What a listener knows of the agent's speech, frame by frame. */
export class AgentTurn {
  #recent: boolean[] = [];
  #spokenMs = 0;
  #silentMs = 0;
  /** Whether the rest of an interrupted turn is still heard, which answers nothing. */
  #isRest = false;

  /** Takes the next 20 ms: whether they held speech. */
  take(speech: boolean): void {
    this.#recent.push(speech);
    if (this.#recent.length > WINDOW_FRAMES) this.#recent.shift();
    if (this.#isRest) this.#isRest = this.#silentMs < CUT_MS;
    else if (this.#recent.filter(Boolean).length >= SPEECH_FRAMES) {
      if (this.#silentMs >= HANGOVER_MS) this.#spokenMs = 0;
      this.#spokenMs += FRAME_MS;
    }
    this.#silentMs =
      speech && this.#recent.filter(Boolean).length >= SPEECH_FRAMES ? 0 : this.#silentMs + FRAME_MS;
  }

  /** Whether the agent is speaking just now. */
  get speaking(): boolean {
    return this.#spokenMs > 0 && this.#silentMs < HANGOVER_MS;
  }

  /** How much the agent has spoken in the turn that it is in or has ended last, pauses left out. */
  get spokenMs(): number {
    return this.#spokenMs;
  }

  /** Since when the agent has been silent. */
  get silentMs(): number {
    return this.#silentMs;
  }

  /** Checks whether the agent had a turn and has ended it at least `gapMs` ago. */
  endedFor(gapMs: number): boolean {
    return this.#spokenMs >= SHORTEST_TURN_MS && this.#silentMs >= Math.max(gapMs, HANGOVER_MS);
  }

  /** What was said before is answered: the next turn counts from here. */
  forget(): void {
    this.#spokenMs = 0;
    this.#recent = [];
  }

  /** The agent was interrupted: what is still heard of its turn is no answer, for so long as it does not pause. */
  interrupted(): void {
    this.#isRest = this.speaking;
    this.forget();
  }
}
