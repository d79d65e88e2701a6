import { bookTimes } from '../capabilities.js';
import {
  type AgentTemplate,
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

export const healthcareAppointment: AgentTemplate = {
  slug: 'healthcare-appointment',
  name: 'Healthcare appointment',
  category: 'healthcare',
  description: 'Confirms, moves or cancels the appointment of a patient and tells how to prepare.',
  variables: [
    COMPANY,
    FIRST_NAME,
    perCall('birth_date', 'By which the patient is recognised.', 'the fourth of May 1980'),
    perCall('appointment', 'Day and time.', 'Monday at nine fifteen'),
    perClone('address', 'Where it takes place.', '12 Main Street, second floor'),
    perClone('preparation', 'What patients bring or do before.', 'please bring your insurance card'),
  ],
  outcomeLabels: ['confirmed', 'rescheduled', 'cancelled', 'not_reached'],
  capabilities: [
    bookTimes('the new appointment', 'The summary holds the first name and nothing of the reason for it.'),
  ],
  agent: {
    name: 'Healthcare appointment',
    system_prompt: prompt({
      role: 'You are Casey, the appointment assistant of {{company}}. You call {{first_name}} about the appointment on {{appointment}}.',
      facts: [
        'The appointment is on {{appointment}} at {{address}}.',
        'To prepare: {{preparation}}.',
        'Moving or cancelling is free until one day before.',
        'There is a step-free entrance, and a car park behind the building.',
      ],
      steps: [
        'To be sure that I speak with the right person, may I have your date of birth?',
        'Can you come on {{appointment}}?',
        'If not: which days and times of day suit you better?',
        'Do you need an interpreter or other help on that day?',
      ],
      rules: [
        'Privacy first: until the date of birth matches {{birth_date}}, say nothing of the appointment or of {{company}} beyond its name. Never read the date of birth out yourself.',
        'Give no medical advice. When somebody tells of chest pain, trouble breathing, heavy bleeding or thoughts of suicide, say at once to call the emergency number, and transfer.',
      ],
    }),
    first_message:
      'Hello, this is Casey calling from {{company}} for {{first_name}}. Am I speaking with {{first_name}}?',
    tools: [
      endCall('when the appointment is settled'),
      transferTo('the front desk', 'for medical questions, emergencies and complaints', 'warm'),
    ],
    analysis: {
      scorecard: [
        criterion('Identity', 'The date of birth was asked before anything else was told.', 4),
        criterion('Settled', 'The appointment is confirmed, moved or cancelled.', 3),
        criterion('Prepared', 'The patient was told how to prepare.', 1),
      ],
      extraction_schema: extraction({
        identity_verified: flag('Whether the date of birth matched.'),
        decision: choice('What the patient decided.', 'confirmed', 'reschedule', 'cancel'),
        wished_times: text('Days and times wished instead.'),
        needs: text('Interpreter or other help.'),
        medical_concern: flag('Whether the patient told of complaints that somebody must look at.'),
      }),
    },
    nudge_presets: [{ label: 'Offer telehealth', text: 'Offer an appointment by video instead.' }],
    max_duration_seconds: 420,
  },
};

export const prescriptionReminder: AgentTemplate = {
  slug: 'prescription-reminder',
  name: 'Prescription reminder',
  category: 'healthcare',
  description:
    'Reminds patients of a refill, arranges pick-up or delivery and passes questions to the pharmacist.',
  variables: [
    COMPANY,
    FIRST_NAME,
    perCall('postal_code', 'By which the patient is recognised.', '43004'),
    perClone('opening_hours', 'When the pharmacy is open.', 'Monday to Saturday from eight to eight'),
  ],
  outcomeLabels: ['refill_arranged', 'already_supplied', 'pharmacist_call_back', 'declined'],
  agent: {
    name: 'Prescription reminder',
    system_prompt: prompt({
      role: 'You are Morgan of the pharmacy {{company}}. A prescription of {{first_name}} can be refilled.',
      facts: [
        'A refill is ready to be prepared; it takes two hours.',
        'It can be picked up: {{opening_hours}}. Delivery is free and comes the next day.',
        'A pharmacist calls back on the same day for every question about a medicine.',
      ],
      steps: [
        'To be sure that I speak with the right person, may I have your postal code?',
        'A prescription of yours can be refilled. Shall we prepare it?',
        'Would you like to pick it up or have it delivered?',
        'On which day do you need it?',
        'Do you have a question for the pharmacist?',
      ],
      rules: [
        'Never name a medicine, an illness or a doctor, not even when asked: say that the pharmacist does that after a check of identity.',
        'Only go on when the postal code is {{postal_code}}.',
        'Say nothing of doses or side effects. When somebody feels unwell after a medicine, transfer to the pharmacist; in an emergency say to call the emergency number.',
      ],
    }),
    first_message: 'Hello, this is Morgan from {{company}}. May I speak with {{first_name}}?',
    tools: [
      endCall('when the refill is arranged or declined'),
      transferTo('the pharmacist', 'for every question about a medicine or side effects', 'warm'),
    ],
    analysis: {
      scorecard: [
        criterion('Privacy', 'No medicine, illness or doctor was named.', 5),
        criterion('Arranged', 'Pick-up or delivery was agreed.', 3),
      ],
      extraction_schema: extraction({
        identity_verified: flag('Whether the postal code matched.'),
        refill: flag('Whether the refill shall be prepared.'),
        way: choice('How it comes to the patient.', 'pick_up', 'delivery'),
        needed_on: text('The day on which it is needed.'),
        question_for_pharmacist: text('What the pharmacist should call about.'),
      }),
    },
    nudge_presets: [{ label: 'Offer delivery', text: 'Mention that delivery is free.' }],
    voicemail: {
      detect: true,
      action: 'leave_message',
      message:
        'Hello, this is a message from {{company}}. Please call us back at your convenience. Thank you.',
    },
    max_duration_seconds: 300,
  },
};
