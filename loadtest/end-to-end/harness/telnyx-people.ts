import type { SimulatedBehavior } from '@voice/shared/contracts/test-numbers';
import { startKeptVoice } from '@voice/shared/local-voice/testing/kept-voice';
import { PEOPLE, type People } from '../../../infra/simulated-carrier/people/people.js';
import { Person } from '../../../infra/simulated-carrier/people/person.js';
import { Phrasebook } from '../../../infra/simulated-carrier/people/phrasebook.js';
import type { Pickup } from '../../../infra/simulated-carrier/people/script.js';
import { loadSpeechDetector } from '../../../infra/simulated-carrier/people/speech-detector.js';
import { type Phrase, parsePhrasebook } from '../../emulators/recognition/phrasebook.js';
import type { Conversation, Phone, Phones } from '../../emulators/telnyx/phone.js';

export interface TelnyxPeople {
  readonly phones: Phones;
  /** Such a person, to be put on another line. */
  readonly talk: (behavior: SimulatedBehavior) => Conversation;
  /** All that they can say, for a recogniser. */
  readonly phrasebook: readonly Phrase[];
}

/** People behind numbers at Telnyx: the simulated carrier's, or others. */
export async function telnyxPeople(
  numbers: Readonly<Record<string, SimulatedBehavior>>,
  people: People = PEOPLE,
): Promise<TelnyxPeople> {
  const voice = startKeptVoice();
  await voice.ready();
  const phrasebook = await Phrasebook.render(Object.values(people), voice);
  voice.close();
  const createSpeechDetector = await loadSpeechDetector();
  const talk = (behavior: SimulatedBehavior): Conversation => {
    const person = new Person({
      script: people[behavior],
      phrasebook,
      speechDetector: createSpeechDetector(),
    });
    return {
      step(heard) {
        const { frame, events } = person.step(heard);
        const did = (type: string) => events.some((event) => event.type === type);
        return { frame, beeped: did('beeped'), hangsUp: did('hangs_up') };
      },
      close: () => person.close(),
    };
  };
  return {
    talk,
    phones: (number) => {
      const behavior = numbers[number];
      return behavior && phoneOf(people[behavior].pickup, () => talk(behavior));
    },
    phrasebook: parsePhrasebook(phrasebook.toJSON()),
  };
}

function phoneOf(pickup: Pickup, talk: Phone['talk']): Phone {
  const ringMs = 'ringMs' in pickup ? pickup.ringMs : 0;
  switch (pickup.pickup) {
    case 'answers': {
      const answeredBy = pickup.answeredBy === 'machine' ? 'machine' : 'human';
      return { pickup: 'answers', ringMs, answeredBy, talk };
    }
    case 'busy':
      return { pickup: 'user_busy', ringMs, answeredBy: 'human', talk };
    case 'never':
      return { pickup: 'never', ringMs, answeredBy: 'human', talk };
    case 'fails':
      return { pickup: 'call_rejected', ringMs, answeredBy: 'human', talk };
  }
}
