import { demoAgent } from '@voice/shared/contracts/demo-agent';
import { PEOPLE, type People } from '../../../infra/simulated-carrier/people/people.js';

/** Words a minute: fast, and still understood. */
const RATE = 260;

/** The agent of the demonstration, for tests that wait for its conversations: it greets in few words and speaks fast. */
export const quickAgent = {
  ...demoAgent,
  first_message: 'Hello, this is Ada. Would you like to book an appointment?',
  voice_config: {
    ...demoAgent.voice_config,
    tts: {
      ...demoAgent.voice_config.tts,
      params: { ...demoAgent.voice_config.tts.params, rate: RATE },
    },
  },
};

/** The simulated people, who speak fast too. */
export const QUICK_PEOPLE = Object.fromEntries(
  Object.entries(PEOPLE).map(([behavior, person]) => [behavior, { ...person, rate: RATE }]),
) as unknown as People;
