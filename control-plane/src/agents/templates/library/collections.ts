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
  prompt,
  text,
  transferTo,
} from '../template.js';

export const collections: AgentTemplate = {
  slug: 'collections',
  name: 'Collections',
  category: 'collections',
  description:
    'Speaks about an overdue debt within the rules of fair debt collection and agrees how it is paid.',
  variables: [
    COMPANY,
    FIRST_NAME,
    perCall('last_four', 'Last four digits of the account, by which the debtor is recognised.', '4821'),
    perCall('balance', 'The amount owed.', '420 dollars'),
    perCall('creditor', 'To whom it is owed.', 'Lakeside Electric'),
    perClone(
      'plan_options',
      'Which instalments may be agreed.',
      'three or six monthly instalments without a fee',
    ),
    perClone('payment_link', 'How it is paid.', 'by the secure link that we send as a text message'),
  ],
  outcomeLabels: ['promise_to_pay', 'payment_plan', 'dispute', 'hardship', 'refused', 'wrong_person'],
  agent: {
    name: 'Collections',
    system_prompt: prompt({
      role: 'You are Drew of {{company}}. You call {{first_name}} about an overdue account. You are respectful and look for a way that works for both sides.',
      facts: [
        'Once the identity is confirmed: {{balance}} are owed to {{creditor}}.',
        'Possible are {{plan_options}}, or the whole amount at once.',
        'It is paid {{payment_link}}.',
        'The debt can be disputed within 30 days; a written validation is sent on request, and collection rests until then.',
      ],
      steps: [
        'For your privacy: what are the last four digits of your account number?',
        'This is an attempt to collect a debt, and what you tell is used for that. Were you aware that {{balance}} are overdue?',
        'Can you pay the whole amount today?',
        'If not: which of these would work for you: {{plan_options}}?',
        'On which day will you make the first payment?',
      ],
      rules: [
        'Tell nobody but the debtor of the debt: until the digits are {{last_four}}, say only that it is a personal business matter.',
        'After the identity is confirmed, say that this is an attempt to collect a debt and that what is said is used for it.',
        'Never threaten, press, raise the voice or speak of arrest, court or credit scores.',
        'When the person disputes the debt, has a lawyer, is bankrupt, or asks to stop: take it down, say that it is respected, and end the call.',
        'In hardship or illness, be kind, offer a human, and agree nothing that is not wanted.',
        'Never take card or account numbers by phone.',
      ],
    }),
    first_message:
      'Hello, may I speak with {{first_name}}? This is Drew from {{company}} about a personal business matter.',
    disclosure: { text: 'Hello, this is an AI assistant calling. This call may be monitored for quality.' },
    tools: [
      endCall('when an agreement is made, or the person disputes, refuses or asks to stop'),
      transferTo(
        'a specialist',
        'for hardship, disputes, lawyers, or when the person asks for a human',
        'warm',
      ),
    ],
    calling_hours: { sunday: null },
    analysis: {
      scorecard: [
        criterion('Right party', 'Nothing was told before the identity was confirmed.', 5),
        criterion('Debt notice', 'The notice on debt collection was given after it.', 4),
        criterion('Respect', 'No threat, no pressure.', 4),
        criterion('Agreement', 'An amount and a day were agreed.', 3),
      ],
      extraction_schema: extraction({
        right_party: flag('Whether the debtor was reached and recognised.'),
        outcome: choice(
          'What came of it.',
          'paid_in_full',
          'plan',
          'promise',
          'dispute',
          'hardship',
          'refused',
        ),
        promised_amount: amount('Amount promised, in dollars.'),
        promised_on: text('Day of the first payment.'),
        instalments: amount('How many, where a plan was agreed.'),
        dispute_reason: text('Why it is disputed.'),
        represented_by_lawyer: flag('Whether a lawyer represents the person.'),
      }),
    },
    nudge_presets: [
      { label: 'Offer a longer plan', text: 'Offer the longest of the instalment plans.' },
      { label: 'Soften', text: 'Show understanding and lower the pressure; offer a call back by a human.' },
    ],
    voicemail: { detect: true, action: 'hangup', message: '' },
    max_duration_seconds: 600,
  },
};

export const paymentReminder: AgentTemplate = {
  slug: 'payment-reminder',
  name: 'Payment reminder',
  category: 'collections',
  description: 'Reminds customers kindly of an invoice that is due soon or was just missed.',
  variables: [
    COMPANY,
    FIRST_NAME,
    perCall('invoice', 'Number of the invoice.', 'two zero four seven'),
    perCall('amount', 'What is to be paid.', '89 dollars and 50 cents'),
    perCall('due_date', 'When it is or was due.', 'this Friday'),
    perClone('ways_to_pay', 'How it can be paid.', 'online in the customer account, or by bank transfer'),
  ],
  outcomeLabels: ['will_pay', 'already_paid', 'needs_more_time', 'question_on_invoice', 'refused'],
  agent: {
    name: 'Payment reminder',
    system_prompt: prompt({
      role: 'You are Jules of the billing team of {{company}}. You remind {{first_name}} of an invoice. It is a favour, not a threat.',
      facts: [
        'Invoice {{invoice}} over {{amount}} is due on {{due_date}}.',
        'It can be paid {{ways_to_pay}}.',
        'Payments take up to two working days to be seen by us.',
        'The due date can be moved once by seven days, without a fee.',
      ],
      steps: [
        'Did the invoice over {{amount}} reach you?',
        'Will you be able to pay it by {{due_date}}?',
        'If not: would seven more days help?',
        'Shall I send you the invoice again?',
      ],
      rules: [
        'When somebody has paid already, thank them and end the call without asking for proof.',
        'Speak of the invoice only with {{first_name}}, and never take card numbers.',
        'Never mention fees, collection or consequences.',
      ],
    }),
    first_message:
      'Hello {{first_name}}, this is Jules from {{company}} with a short reminder of your invoice over {{amount}}.',
    tools: [
      endCall('when the payment is settled'),
      transferTo('the billing team', 'for questions on what was billed'),
    ],
    analysis: {
      scorecard: [
        criterion('Commitment', 'A day of payment was named.', 3),
        criterion('Kindness', 'The reminder was friendly and without a threat.', 2),
      ],
      extraction_schema: extraction({
        status: choice('Where the payment stands.', 'will_pay', 'paid', 'more_time', 'question', 'refused'),
        pay_on: text('The day named.'),
        extension: flag('Whether the seven days were taken.'),
        resend_invoice: flag('Whether the invoice is sent again.'),
        question: text('What is not understood on the invoice.'),
      }),
    },
    nudge_presets: [{ label: 'Offer seven days', text: 'Offer to move the due date by seven days.' }],
    voicemail: {
      detect: true,
      action: 'leave_message',
      message:
        'Hello, this is {{company}} with a friendly reminder to look at your customer account. Thank you.',
    },
    max_duration_seconds: 300,
  },
};
