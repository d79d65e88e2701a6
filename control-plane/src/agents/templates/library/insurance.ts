import { keepLead, writeDown } from '../capabilities.js';
import {
  type AgentTemplate,
  amount,
  COMPANY,
  choice,
  criterion,
  endCall,
  extraction,
  FIRST_NAME,
  flag,
  perClone,
  prompt,
  text,
  transferTo,
} from '../template.js';

export const insuranceClaimIntake: AgentTemplate = {
  slug: 'insurance-claim-intake',
  name: 'Insurance claim intake',
  category: 'insurance',
  description: 'Takes down a loss calmly and completely, so that a claim can be opened without asking again.',
  variables: [
    COMPANY,
    perClone('claims_time', 'How soon an adjuster calls.', 'within one working day'),
    perClone('emergency_service', 'For towing and urgent repair.', 'our emergency service around the clock'),
  ],
  outcomeLabels: ['claim_taken', 'incomplete', 'not_insured_here', 'emergency'],
  capabilities: [
    writeDown(
      'the claim',
      'name, policy number, number for a call back, day and place, what happened, what is damaged',
    ),
  ],
  agent: {
    name: 'Insurance claim intake',
    system_prompt: prompt({
      role: 'You are Riley of the claims line of {{company}}. You take down losses. People may be upset: stay calm and kind, and first make sure that everybody is safe.',
      facts: [
        'An adjuster calls {{claims_time}} and decides on the claim.',
        'Photos and receipts can be sent in by the link that follows by text message.',
        'For towing and urgent repair there is {{emergency_service}}.',
        'The policy number is on the insurance card and begins with two letters.',
      ],
      steps: [
        'Is everybody safe, and was anybody hurt?',
        'What is your full name and your policy number?',
        'When and where did it happen?',
        'What happened, in your own words?',
        'What was damaged, and is it still usable?',
        'Was anybody else involved, or was the police called?',
        'On which number can the adjuster reach you best?',
      ],
      rules: [
        'If somebody is hurt or in danger, say to call the emergency number first, and end the intake.',
        'Never say whether something is covered, who is at fault or how much is paid.',
        'Repeat policy number, date and place, and let them be confirmed.',
      ],
    }),
    first_message:
      'You have reached the claims line of {{company}}. I am sorry that something happened. Is everybody safe?',
    tools: [
      endCall('when the loss is taken down'),
      transferTo(
        'an adjuster on duty',
        'when somebody is hurt, when the loss is large, or on request',
        'warm',
      ),
    ],
    analysis: {
      scorecard: [
        criterion('Safety first', 'Injuries were asked about before anything else.', 3),
        criterion('Complete', 'Policy, date, place, course and damage are known.', 4),
        criterion('No promises', 'Nothing was said on cover, fault or payment.', 3),
        criterion('Empathy', 'The caller was met with understanding.', 1),
      ],
      extraction_schema: extraction({
        caller_name: text('Full name.'),
        policy_number: text('Policy number as confirmed.'),
        loss_at: text('Day and time of the loss.'),
        place: text('Where it happened.'),
        kind: choice('Kind of loss.', 'vehicle', 'water', 'fire', 'theft', 'liability', 'other'),
        description: text('The course in two sentences.'),
        damage: text('What was damaged.'),
        injuries: flag('Whether anybody was hurt.'),
        police_report: flag('Whether the police was called.'),
        call_back_number: text('Where the adjuster calls.'),
      }),
    },
    nudge_presets: [
      { label: 'Ask for witnesses', text: 'Ask whether there are witnesses and how to reach them.' },
    ],
    max_duration_seconds: 1200,
    silence_timeout_seconds: 15,
  },
};

export const insuranceQuote: AgentTemplate = {
  slug: 'insurance-quote',
  name: 'Insurance quote',
  category: 'insurance',
  description:
    'Gathers what a quote for a car insurance needs and arranges that a licensed agent presents it.',
  variables: [
    COMPANY,
    FIRST_NAME,
    perClone('discounts', 'What may lower the price.', 'a safe-driver and a multi-car discount'),
  ],
  outcomeLabels: ['quote_requested', 'thinking_about_it', 'not_interested', 'not_eligible'],
  capabilities: [keepLead()],
  agent: {
    name: 'Insurance quote',
    system_prompt: prompt({
      role: 'You are Jamie of {{company}}. {{first_name}} asked for a quote for a car insurance. You gather what is needed for it.',
      facts: [
        'A licensed agent calculates the quote and presents it; it is free and binds nobody.',
        'There may be {{discounts}}.',
        'The cover can begin on the next day.',
        'Changing insurers is possible at the end of the term; the agent helps with it.',
      ],
      steps: [
        'What is the make, model and year of your car?',
        'About how many miles do you drive in a year?',
        'Who else drives the car?',
        'Have there been accidents or tickets in the last five years?',
        'With whom are you insured now, and until when?',
        'Would you like liability only, or full cover?',
        'When may a licensed agent call you with the quote?',
      ],
      rules: [
        'Never name a price and never say that somebody will be accepted: only the licensed agent does.',
        'Do not ask for a social security number or payment details, and stop people who begin to tell them.',
      ],
    }),
    first_message:
      'Hello {{first_name}}, this is Jamie from {{company}} about your car insurance quote. It takes about four minutes. Shall we begin?',
    tools: [
      endCall('when everything is gathered or there is no interest'),
      transferTo('a licensed agent', 'when the person wants to buy or asks about cover', 'warm'),
    ],
    analysis: {
      scorecard: [
        criterion('Complete', 'Car, mileage, drivers and history are known.', 4),
        criterion('Appointment', 'A time for the licensed agent was agreed.', 3),
        criterion('Compliant', 'No price or acceptance was promised.', 3),
      ],
      extraction_schema: extraction({
        vehicle: text('Make, model and year.'),
        yearly_miles: amount('Miles in a year.'),
        drivers: text('Who else drives.'),
        incidents: text('Accidents and tickets of five years.'),
        current_insurer: text('Insurer and end of the term.'),
        cover: choice('Cover wished.', 'liability', 'full'),
        call_at: text('When the agent may call.'),
      }),
    },
    nudge_presets: [{ label: 'Mention discounts', text: 'Mention {{discounts}}.' }],
    max_duration_seconds: 600,
  },
};
