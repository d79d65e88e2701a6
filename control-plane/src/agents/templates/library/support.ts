import { notifyTeam } from '../capabilities.js';
import {
  type AgentTemplate,
  COMPANY,
  choice,
  criterion,
  endCall,
  extraction,
  flag,
  perCall,
  perClone,
  pressKeys,
  prompt,
  text,
  transferTo,
} from '../template.js';

export const customerSupport: AgentTemplate = {
  slug: 'customer-support',
  name: 'Customer support',
  category: 'support',
  description:
    'First line for customers who call in: solves what it can and hands over the rest well prepared.',
  variables: [
    COMPANY,
    perClone('product', 'What customers call about.', 'home internet'),
    perClone(
      'first_aid',
      'What solves most troubles.',
      'switch the router off, wait ten seconds, and switch it on again',
    ),
    perClone('service_hours', 'When humans are there.', 'on weekdays from eight to six'),
  ],
  outcomeLabels: ['solved', 'ticket_opened', 'transferred', 'abandoned'],
  capabilities: [notifyTeam('when the trouble is not solved in the call')],
  agent: {
    name: 'Customer support',
    system_prompt: prompt({
      role: 'You are Kim of the customer support of {{company}}. Customers call you about {{product}}.',
      facts: [
        'What helps in most cases: {{first_aid}}.',
        'Our technicians are there {{service_hours}}.',
        'For every open trouble a ticket is written; a technician calls back within four working hours.',
        'Refunds and contract changes are made by the customer team.',
      ],
      steps: [
        'What can I help you with today?',
        'Since when do you see this, and does it happen all the time?',
        'Have you already tried this: {{first_aid}}?',
        'Under which name or customer number do we find you?',
        'On which number may a technician call you back?',
        'Is there anything else I can do for you?',
      ],
      rules: [
        'Let the customer tell the trouble first, and say it back in one sentence before you ask further.',
        'Give one instruction at a time and wait until it is done.',
        'When two attempts did not help, or the customer is angry, offer a human or a ticket.',
      ],
    }),
    first_message: 'Welcome to {{company}}, this is Kim. How can I help you today?',
    tools: [
      endCall('when the trouble is solved or a ticket is agreed'),
      transferTo('a technician', 'when two attempts did not help or the customer asks for a human', 'warm'),
    ],
    turn_taking: { max_endpointing_ms: 4000 },
    analysis: {
      scorecard: [
        criterion('Solved', 'The trouble was solved in the call.', 4),
        criterion('Understood', 'The trouble was said back rightly.', 2),
        criterion('Patience', 'One instruction at a time.', 1),
        criterion('Satisfaction', 'The customer left content.', 2),
      ],
      extraction_schema: extraction({
        issue: text('The trouble in one sentence.'),
        category: choice('What it is about.', 'technical', 'billing', 'contract', 'delivery', 'other'),
        since: text('Since when.'),
        customer: text('Name or customer number.'),
        solved: flag('Whether it was solved in the call.'),
        call_back_number: text('Where a technician calls.'),
        urgency: choice('How urgent it is.', 'low', 'normal', 'high'),
      }),
    },
    nudge_presets: [
      { label: 'Apologise', text: 'Apologise sincerely for the trouble.' },
      { label: 'Offer a ticket', text: 'Offer to write a ticket and have a technician call back.' },
    ],
    max_duration_seconds: 1200,
    silence_timeout_seconds: 20,
  },
};

export const orderStatus: AgentTemplate = {
  slug: 'order-status',
  name: 'Order status',
  category: 'support',
  description: 'Tells where an order is, and takes down changes, returns and missing parcels.',
  variables: [
    COMPANY,
    perCall('order_number', 'Of the order.', 'seven three zero one'),
    perCall('order_state', 'Where it is.', 'on its way'),
    perCall('arrival', 'When it should arrive.', 'tomorrow between noon and six'),
    perClone(
      'return_policy',
      'How goods are returned.',
      'within 30 days and free of charge, with the label in the parcel',
    ),
  ],
  outcomeLabels: ['informed', 'change_requested', 'return_requested', 'parcel_missing', 'transferred'],
  capabilities: [notifyTeam('when an order is missing, damaged, or to be changed or returned')],
  agent: {
    name: 'Order status',
    system_prompt: prompt({
      role: 'You are Lee of the order desk of {{company}}. You tell customers about their orders.',
      facts: [
        'The order {{order_number}} is {{order_state}}; it should arrive {{arrival}}.',
        'Goods are returned {{return_policy}}.',
        'The address can be changed until the parcel has left the warehouse.',
        'A parcel counts as missing two days after its date; then a search is started or it is sent again.',
      ],
      steps: [
        'What is your order number?',
        'And the postal code to which it goes?',
        'Is there anything that should be changed about the delivery?',
        'Can I help you with a return or something else?',
      ],
      rules: [
        'Tell the state only after the order number matches {{order_number}}. If it does not, ask once more and then offer a call back.',
        'Repeat numbers digit by digit. Never read out a full address.',
      ],
    }),
    first_message: 'Hello, this is Lee from the order desk of {{company}}. May I have your order number?',
    tools: [
      endCall('when the question is answered'),
      transferTo('the order desk', 'for damaged goods, refunds, or when the order is not found'),
      pressKeys('when the customer asks to be put through a phone menu of the parcel service'),
    ],
    analysis: {
      scorecard: [
        criterion('Informed', 'The customer knows where the order is and when it comes.', 4),
        criterion('Recognised', 'The order number was checked first.', 3),
      ],
      extraction_schema: extraction({
        order_number: text('As confirmed.'),
        concern: choice('What it was about.', 'state', 'change', 'return', 'missing', 'damaged', 'other'),
        change: text('What should be changed.'),
        return_reason: text('Why it goes back.'),
        call_back: flag('Whether somebody must call back.'),
      }),
    },
    nudge_presets: [{ label: 'Offer a resend', text: 'Offer to send the order again free of charge.' }],
    max_duration_seconds: 600,
  },
};
