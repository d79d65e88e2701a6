import type { SimulatedBehavior } from '@voice/shared/contracts/test-numbers';
import type { LocalVoice } from '@voice/shared/local-voice/local-voice';
import type { People } from './people.js';
import type { Phrasebook } from './phrasebook.js';
import type { PersonScript } from './script.js';

/** `model` is the neural voice, whose words a recogniser understands; `espeak` the people's usual one. */
export type PersonVoice = 'model' | 'espeak';

export interface PeopleVoicesOptions {
  readonly people: People;
  readonly localVoice: LocalVoice;
  readonly phrasebook: Promise<Phrasebook>;
  /** Name of the neural voice; undefined where none is installed. */
  readonly modelVoice: string | undefined;
}

/** Who answers the test numbers, and in which voice: espeak-ng's unless a caller asked for the neural one. */
export class PeopleVoices {
  readonly #options: PeopleVoicesOptions;
  readonly #changed = new Map<SimulatedBehavior, PersonScript>();

  constructor(options: PeopleVoicesOptions) {
    this.#options = options;
  }

  scriptOf(behavior: SimulatedBehavior): PersonScript {
    return this.#changed.get(behavior) ?? this.#options.people[behavior];
  }

  /** Sets a person's voice from the next call on; resolves when it is loaded, with false where there is none. */
  async use(behavior: SimulatedBehavior, voice: PersonVoice): Promise<boolean> {
    if (voice === 'espeak') {
      this.#changed.delete(behavior);
      return true;
    }
    const { people, modelVoice, phrasebook, localVoice } = this.#options;
    if (modelVoice === undefined) return false;
    const script = { ...people[behavior], voice: modelVoice };
    await localVoice.warm();
    await (await phrasebook).learn(script, localVoice);
    this.#changed.set(behavior, script);
    return true;
  }
}
