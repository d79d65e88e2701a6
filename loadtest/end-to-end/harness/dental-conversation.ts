import type { agentTool } from '@voice/shared/contracts/agent';
import type { z } from 'zod';
import { PEOPLE, type People } from '../../../infra/simulated-carrier/people/people.js';
import type { Move } from '../../../infra/simulated-carrier/people/script.js';
import type { ScriptRule } from '../../emulators/openai/script.js';

/** What the caller says, in order. The second line is said into the answer to the first. */
export const CALLER_SAYS = {
  question: 'What happens at the yearly check-up?',
  interruption: 'Wait how much does it cost?',
  forTool: 'Is there a free appointment on Tuesday?',
  forHuman: 'I want to talk to a real person.',
  goodbye: 'All right, thank you, goodbye.',
} as const;

/** What the agent says: short, but for what is interrupted. */
export const AGENT_SAYS = {
  disclosure: 'This is an AI assistant.',
  first: 'How can I help you?',
  long:
    'At the check-up, the dentist examines your teeth and gums, takes X-ray pictures where they are needed, ' +
    'cleans your teeth carefully, polishes them, and tells you at the end what to do until the next visit.',
  price: 'It costs eighty dollars.',
  connecting: 'I will connect you.',
  alone: 'I am sorry, I cannot do that here.',
  goodbye: 'Thank you, goodbye.',
} as const;

/** What the tool answers; the agent says it. */
export const FREE_SLOT = 'Ten o’clock is still free.';
const COLLEAGUE = 'Reception';

/** What the model says behind every pipeline. */
export const MODEL_SCRIPT: readonly ScriptRule[] = [
  { afterTool: 'find_slots', say: '{{result}}' },
  { afterTool: 'transfer_call', say: AGENT_SAYS.alone },
  { afterTool: '*', say: AGENT_SAYS.goodbye },
  {
    whenUserSays: /goodbye/i,
    say: AGENT_SAYS.goodbye,
    toolCalls: [{ name: 'end_call', arguments: {} }],
  },
  {
    whenUserSays: /real person/i,
    say: AGENT_SAYS.connecting,
    toolCalls: [{ name: 'transfer_call', arguments: { destination: COLLEAGUE } }],
  },
  {
    whenUserSays: /free appointment/i,
    say: '',
    toolCalls: [{ name: 'find_slots', arguments: { day: 'Tuesday' } }],
  },
  { whenUserSays: /how much|cost/i, say: AGENT_SAYS.price },
  { whenUserSays: /check-?up/i, say: AGENT_SAYS.long },
];

/** From the agent's last sound to the caller's next line, in ms. */
const GAP_MS = 1000;
/** So long the first message may come after the disclosure, in ms. */
const FIRST_GAP_MS = 2500;
/** So long a transfer may take to be refused, on a busy machine, in ms. */
const TRANSFER_GAP_MS = 3500;
const reply = (text: string, gapMs = GAP_MS): Move => ({ does: 'reply', text, gapMs });
const goodbye = reply(CALLER_SAYS.goodbye, TRANSFER_GAP_MS);
const untilTransfer: readonly Move[] = [
  reply(CALLER_SAYS.question, FIRST_GAP_MS),
  { does: 'interrupt', text: CALLER_SAYS.interruption, afterMs: 1500 },
  reply(CALLER_SAYS.forTool),
  reply(CALLER_SAYS.forHuman),
];

/**
 * Who talks, has this conversation, and waits for the human; who talks over, is on a line without transfers. The
 * others are as always.
 */
export const CALLERS: People = {
  ...PEOPLE,
  talks: { ...PEOPLE.talks, moves: [...untilTransfer, { does: 'stay_silent', ms: 60_000 }] },
  talks_over: {
    ...PEOPLE.talks_over,
    // Once more where the machine stood still in the middle of it, and the agent asks for that.
    moves: [...untilTransfer, goodbye, goodbye],
  },
};

export interface ReceptionistOptions {
  /** Answers `FREE_SLOT`. */
  readonly toolUrl: string;
  readonly colleagueNumber: string;
}

/** Gives an agent for this conversation, but for its voice. */
export function receptionist({ toolUrl, colleagueNumber }: ReceptionistOptions) {
  const tools: z.input<typeof agentTool>[] = [
    { type: 'end_call', description: 'Ends the call after the goodbye.' },
    { type: 'transfer_call', description: 'Connects the caller with a colleague.' },
    {
      type: 'http',
      name: 'find_slots',
      description: 'Looks for free appointments on a day.',
      parameters: { type: 'object', properties: { day: { type: 'string' } }, required: ['day'] },
      url: toolUrl,
      side_effects: false,
    },
  ];
  return {
    name: 'Ada of Bright Smile Dental',
    system_prompt: 'You are Ada, the friendly receptionist of Bright Smile Dental.',
    disclosure: { text: AGENT_SAYS.disclosure },
    first_message: AGENT_SAYS.first,
    language: 'en-US',
    tools,
    transfer_destinations: [{ name: COLLEAGUE, phone_number: colleagueNumber }],
    // What is slow here is the machine: nothing is said to bridge it, and no pause of its making ends a turn.
    turn_taking: { fillers: [], min_endpointing_ms: 700, confident_endpointing_ms: 500 },
    silence_timeout_seconds: 20,
  };
}
