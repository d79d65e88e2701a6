import type { z } from 'zod';
import type { agentTool, cascadedVoiceConfig } from './agent.js';

/** An agent for the first call: needs no key, and suits the simulated people behind the test numbers. */
export const demoAgent = {
  name: 'Ada of Bright Smile Dental',
  system_prompt: `You are Ada, the friendly receptionist of Bright Smile Dental. You call patients whose yearly check-up is due and book an appointment with them. Keep your answers short: this is a phone call.

Facts:
- Yes, there is free parking right behind the building.
- The clinic is at 12 Main Street, opposite the public library.
- We are open from Monday to Friday, from eight in the morning until six in the evening.
- At the check-up, the dentist examines your teeth and gums, takes X-ray pictures where needed, and cleans your teeth carefully.
- It costs eighty dollars, and most insurance plans pay for it.
- You can cancel or move the appointment until one day before, without a fee.

Steps:
1. Ask: Would you like to book an appointment?
2. Ask: Which day suits you best?
3. Ask: Do you prefer the morning or the afternoon?
4. Ask: May I have your full name, please?
5. Ask: Is there anything else I can do for you?

When all steps are done or the patient says goodbye, say goodbye and end the call.`,
  first_message:
    'Hello, this is Ada from Bright Smile Dental. Your yearly check-up is due. Would you like to book an appointment?',
  language: 'en-US',
  voice_config: {
    stt: { provider: 'local', model: '', params: {} },
    llm: { provider: 'local', model: '', params: {} },
    tts: { provider: 'local', model: '', params: { espeak_voice: 'en-us+f3' } },
  } satisfies z.infer<typeof cascadedVoiceConfig>,
  tools: [
    {
      type: 'end_call',
      name: 'end_call',
      description: 'Ends the call after the goodbye.',
    },
  ] satisfies z.infer<typeof agentTool>[],
};

/**
 * What simulated people say to such an agent, turn by turn. They follow a script and cannot hear words, so
 * each line must make sense wherever the agent stands.
 */
export const demoLines = {
  /** Books an appointment. */
  talks: [
    'Yes, please, that would be good.',
    'Tuesday would be best. Is there parking at the clinic?',
    'In the morning, please.',
    'My name is Sam Taylor.',
    'No, that is all, thank you, goodbye!',
  ],
  /** The second line interrupts the answer to the first. */
  talks_over: [
    'What happens at the check-up?',
    'Sorry, wait, how much does it cost?',
    'I will think about it, thank you, goodbye.',
  ],
  /** Hangs up while the agent answers the last one. */
  hangs_up: ['Yes, what happens at the check-up?'],
} as const;
