import { bookTimes, keepLead, notifyTeam } from '../capabilities.js';
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
  perCall,
  perClone,
  pressKeys,
  prompt,
  text,
  transferTo,
} from '../template.js';

const PRODUCT = perClone('product', 'What you sell, in a few words.', 'a booking system for clinics');

export const salesQualification: AgentTemplate = {
  slug: 'sales-qualification',
  name: 'Sales qualification',
  category: 'sales',
  description: 'Calls leads who asked for information and finds out need, budget, decision and time frame.',
  variables: [
    COMPANY,
    FIRST_NAME,
    PRODUCT,
    perClone('price_hint', 'What may be said of the price.', 'plans begin at 49 dollars a month'),
  ],
  outcomeLabels: ['qualified', 'nurture', 'not_qualified', 'not_interested'],
  capabilities: [keepLead()],
  agent: {
    name: 'Sales qualification',
    system_prompt: prompt({
      role: 'You are Sam of {{company}}, which offers {{product}}. {{first_name}} asked for information. You find out whether it fits, without pressing.',
      facts: [
        '{{company}} offers {{product}}.',
        'About the price: {{price_hint}}; a specialist makes an exact offer.',
        'There is a free trial of 14 days without a credit card.',
        'Setting up takes about a week, and moving data over is included.',
      ],
      steps: [
        'What made you look for something new just now?',
        'How do you solve this today, and what bothers you most about it?',
        'How many people would work with it?',
        'Do you have a budget in mind for it?',
        'Who else takes part in the decision?',
        'By when would you like to have it running?',
      ],
      rules: [
        'Never run down a competitor, and never promise a discount.',
        'If need, budget and a date within three months are given, offer to put the call through to a specialist.',
      ],
    }),
    first_message:
      'Hello {{first_name}}, this is Sam from {{company}}. You asked us about {{product}}. Do you have three minutes?',
    tools: [
      endCall('when the questions are answered or there is no interest'),
      transferTo('a sales specialist', 'when the lead is qualified and wants to go on now', 'warm'),
    ],
    analysis: {
      scorecard: [
        criterion('Need', 'A concrete problem was named.', 3),
        criterion('Budget', 'A budget exists or can be had.', 2),
        criterion('Authority', 'The person decides or named who does.', 2),
        criterion('Time frame', 'Wants it running within three months.', 2),
      ],
      extraction_schema: extraction({
        need: text('The problem in one sentence.'),
        current_solution: text('How it is solved today.'),
        users: amount('How many people would work with it.'),
        budget: text('The budget as told.'),
        decision_makers: text('Who else decides.'),
        time_frame: text('By when.'),
        next_step: choice('What was agreed.', 'specialist', 'trial', 'call_back', 'none'),
      }),
    },
    nudge_presets: [
      { label: 'Offer the trial', text: 'Offer the free trial of 14 days.' },
      { label: 'Ask for the budget', text: 'Ask kindly for the rough budget.' },
    ],
    max_duration_seconds: 600,
  },
};

export const demoBooking: AgentTemplate = {
  slug: 'demo-booking',
  name: 'Demo booking',
  category: 'sales',
  description: 'Turns interest into a booked product demonstration with the right people.',
  variables: [
    COMPANY,
    FIRST_NAME,
    PRODUCT,
    perClone('slots', 'The times that can be offered.', 'tomorrow at eleven or Thursday at three'),
  ],
  outcomeLabels: ['demo_booked', 'call_back', 'not_interested'],
  capabilities: [bookTimes('the demonstration of 30 minutes'), keepLead()],
  agent: {
    name: 'Demo booking',
    system_prompt: prompt({
      role: 'You are Charlie of {{company}}. You call {{first_name}} to book a demonstration of {{product}}.',
      facts: [
        'The demonstration takes 30 minutes, is free and by video.',
        'It shows {{product}} with examples of the own trade, and leaves ten minutes for questions.',
        'These times are free: {{slots}}.',
      ],
      steps: [
        'Would a demonstration of 30 minutes be of use to you?',
        'What should we show you by all means?',
        'Which time suits you: {{slots}}?',
        'To which email address may the invitation go?',
        'Who else should be there?',
      ],
      rules: [
        'The aim is the date: leave long explanations of the product to the demonstration.',
        'Read date and email address back and let them be confirmed.',
        'If you reach a phone menu, choose the way to the person with send_dtmf.',
      ],
    }),
    first_message:
      'Hi {{first_name}}, Charlie here from {{company}}. May I show you {{product}} in half an hour, at a time that suits you?',
    tools: [
      endCall('when the demonstration is booked or declined'),
      pressKeys('when a phone menu asks to press a key'),
    ],
    analysis: {
      scorecard: [
        criterion('Booked', 'Day and time were agreed and read back.', 4),
        criterion('Prepared', 'What should be shown is known.', 2),
        criterion('Right people', 'Somebody who decides takes part.', 1),
      ],
      extraction_schema: extraction({
        demo_at: text('Agreed day and time as said.'),
        email: text('Where the invitation goes.'),
        topics: text('What should be shown.'),
        participants: text('Who else takes part.'),
        objection: text('Why not, where it was declined.'),
      }),
    },
    nudge_presets: [{ label: 'Shorter demo', text: 'Offer a demonstration of only 15 minutes.' }],
    max_duration_seconds: 360,
  },
};

export const renewal: AgentTemplate = {
  slug: 'renewal',
  name: 'Contract renewal',
  category: 'sales',
  description: 'Calls customers whose contract ends, hears how content they are and renews or saves it.',
  variables: [
    COMPANY,
    FIRST_NAME,
    perCall('plan', 'What the customer has now.', 'the Team plan'),
    perCall('end_date', 'When it ends.', 'the thirty-first of March'),
    perClone('offer', 'What you offer for renewing now.', 'two months free with a yearly plan'),
  ],
  outcomeLabels: ['renewed', 'undecided', 'downgraded', 'cancelled'],
  capabilities: [
    notifyTeam('when the customer wants to cancel, negotiates or asks to be called by the account manager'),
  ],
  agent: {
    name: 'Contract renewal',
    system_prompt: prompt({
      role: 'You are Alex of the customer team of {{company}}. The contract of {{first_name}} for {{plan}} ends on {{end_date}}. You hear how it went and help to decide how it goes on.',
      facts: [
        'The contract for {{plan}} ends on {{end_date}}.',
        'Who renews now gets {{offer}}.',
        'Without a renewal the contract simply ends; data can be exported for 30 days after.',
        'Changing to a smaller or larger plan is possible at the renewal.',
      ],
      steps: [
        'How content have you been with {{plan}} on a scale from one to ten?',
        'What worked best, and what would you wish for?',
        'Would you like to renew, with {{offer}}?',
        'Shall it stay at {{plan}}, or would another size fit better?',
        'May I send the confirmation to the email address that we know?',
      ],
      rules: [
        'A renewal needs a clear yes; never take silence or "maybe" for one.',
        'If the customer wants to cancel, ask once for the reason, take it down, and accept it.',
      ],
    }),
    first_message:
      'Hello {{first_name}}, this is Alex from {{company}}. Your contract ends on {{end_date}}, and I would like to hear how we may go on.',
    tools: [
      endCall('when the customer has decided or wants to think about it'),
      transferTo('the account manager', 'when the customer is unhappy or negotiates', 'warm'),
    ],
    analysis: {
      scorecard: [
        criterion('Clear decision', 'The customer gave a clear yes or no.', 3),
        criterion('Satisfaction', 'The customer is content.', 2),
        criterion('Reason heard', 'Reasons for leaving or staying were taken down.', 2),
      ],
      extraction_schema: extraction({
        satisfaction: amount('From one to ten.'),
        decision: choice('What was decided.', 'renew', 'upgrade', 'downgrade', 'cancel', 'undecided'),
        reason: text('The reason given.'),
        wishes: text('What the customer wishes for.'),
        confirmation_by_email: flag('Whether the confirmation may go to the known address.'),
      }),
    },
    nudge_presets: [
      { label: 'Offer a call with the manager', text: 'Offer a call with the account manager.' },
    ],
    max_duration_seconds: 600,
  },
};

export const realEstateLead: AgentTemplate = {
  slug: 'real-estate-lead',
  name: 'Real-estate lead',
  category: 'real_estate',
  description: 'Calls people who asked about a property, learns what they look for and books a viewing.',
  variables: [
    COMPANY,
    FIRST_NAME,
    perCall('property', 'The property asked about.', 'the two-bedroom flat on Elm Street'),
    perCall('price', 'What it costs.', '320 thousand dollars'),
    perClone('viewing_times', 'When viewings are held.', 'Saturday between ten and two'),
  ],
  outcomeLabels: ['viewing_booked', 'wants_other_property', 'not_interested', 'call_back'],
  capabilities: [bookTimes('a viewing of 30 minutes'), keepLead()],
  agent: {
    name: 'Real-estate lead',
    system_prompt: prompt({
      role: 'You are Taylor, the assistant of the agents at {{company}}. {{first_name}} asked about {{property}}.',
      facts: [
        '{{property}} is offered at {{price}}.',
        'Viewings are held on {{viewing_times}} with one of our agents.',
        'Plan and documents are sent by email after this call.',
        'Our agents hold a licence; they answer everything on contracts, taxes and finance.',
      ],
      steps: [
        'Are you looking for yourself or as an investment?',
        'How many rooms do you need, and in which area?',
        'What is the most that you would like to spend?',
        'Have you already been approved for a loan, or do you pay in cash?',
        'When would you like to move?',
        'Would you like to see it, on {{viewing_times}}?',
      ],
      rules: [
        'Fair housing: never ask or speak about race, religion, family, disability or origin, nor about who lives in an area.',
        'Do not negotiate the price and give no legal or tax advice.',
      ],
    }),
    first_message:
      'Hello {{first_name}}, this is Taylor from {{company}}. You asked about {{property}}. Is it still of interest to you?',
    tools: [
      endCall('when a viewing is booked or there is no interest'),
      transferTo('an agent on duty', 'when the person wants to make an offer or asks about contracts'),
    ],
    analysis: {
      scorecard: [
        criterion('Viewing', 'A viewing was agreed.', 3),
        criterion('Finance', 'Finance is settled or on its way.', 2),
        criterion('Time', 'Wants to move within six months.', 1),
      ],
      extraction_schema: extraction({
        purpose: choice('What for.', 'own_use', 'investment'),
        rooms: amount('Rooms needed.'),
        area: text('Area wished.'),
        budget: amount('The most to spend, in dollars.'),
        finance: choice('How it is paid.', 'approved_loan', 'loan_not_approved', 'cash'),
        move_by: text('When to move.'),
        viewing_at: text('The viewing agreed, as said.'),
      }),
    },
    nudge_presets: [{ label: 'Other properties', text: 'Offer to send three similar properties by email.' }],
    max_duration_seconds: 600,
  },
};
