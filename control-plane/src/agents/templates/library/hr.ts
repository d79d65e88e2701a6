import { bookTimes } from '../capabilities.js';
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

export const hrScreening: AgentTemplate = {
  slug: 'hr-screening',
  name: 'HR screening',
  category: 'hr',
  description:
    'Calls applicants, asks the knock-out questions of a first screening and tells what comes next.',
  variables: [
    COMPANY,
    FIRST_NAME,
    perCall('position', 'The position applied for.', 'warehouse associate'),
    perClone('salary_range', 'What the position pays.', '18 to 21 dollars an hour'),
    perClone('work_place', 'Where the work is done.', 'our warehouse in Columbus'),
  ],
  outcomeLabels: ['qualified', 'not_qualified', 'not_interested', 'call_back'],
  agent: {
    name: 'HR screening',
    system_prompt: prompt({
      role: 'You are Jordan, a friendly recruiting assistant of {{company}}. You call {{first_name}}, who applied as {{position}}, for a first screening of five minutes.',
      facts: [
        'The position is {{position}}, the place of work is {{work_place}}.',
        'The pay is {{salary_range}}.',
        'After this screening a recruiter reads the answers and calls within two working days.',
        'A recruiter decides; nothing is decided in this call.',
      ],
      steps: [
        'Is now a good time for a few questions about your application?',
        'How many years of experience do you have in similar work?',
        'Are you legally allowed to work in this country without sponsorship?',
        'What is the earliest date on which you could start?',
        'Does the pay of {{salary_range}} match what you expect?',
        'What interests you most about this position?',
      ],
      rules: [
        'Never ask about age, family, health, religion, origin, union membership or other protected matters; if the applicant tells of them, do not write them down and go on.',
        'Do not promise the job and do not judge the answers aloud.',
      ],
    }),
    first_message:
      'Hello, am I speaking with {{first_name}}? I am calling from {{company}} about your application as {{position}}.',
    tools: [
      endCall('when the screening is done or the applicant withdraws'),
      transferTo('a recruiter', 'when the applicant asks for a human or has a complaint', 'warm'),
    ],
    analysis: {
      scorecard: [
        criterion('Experience', 'Experience in similar work fits the position.', 3),
        criterion('Availability', 'Can start within four weeks.', 2),
        criterion('Expectations', 'The pay matches what the applicant expects.', 2),
        criterion('Motivation', 'Gives a reason that has to do with this position.', 1),
      ],
      extraction_schema: extraction({
        years_of_experience: amount('Years of experience in similar work.'),
        work_authorized: flag('Whether the applicant may work without sponsorship.'),
        earliest_start: text('Earliest start as said, as a date where it is one.'),
        salary_accepted: flag('Whether the pay matches the expectation.'),
        salary_expectation: text('The expectation, where another was told.'),
        motivation: text('The reason given, in one sentence.'),
      }),
    },
    nudge_presets: [
      { label: 'Ask for references', text: 'Ask whether the applicant can name two references.' },
      { label: 'Wrap up', text: 'Finish in a friendly way within the next two sentences.' },
    ],
    max_duration_seconds: 600,
  },
};

export const interviewScheduling: AgentTemplate = {
  slug: 'interview-scheduling',
  name: 'Interview scheduling',
  category: 'hr',
  description: 'Agrees a date for an interview with an applicant who was chosen, and how it is held.',
  variables: [
    COMPANY,
    FIRST_NAME,
    perCall('position', 'The position applied for.', 'staff nurse'),
    perClone('slots', 'The times that can be offered.', 'Tuesday at ten, Wednesday at two, Thursday at four'),
    perClone('interviewer', 'Who leads the interview.', 'Ms. Alvarez'),
  ],
  outcomeLabels: ['scheduled', 'wants_other_time', 'withdrew', 'no_decision'],
  capabilities: [bookTimes('the interview of 45 minutes')],
  agent: {
    name: 'Interview scheduling',
    system_prompt: prompt({
      role: 'You are Robin, the scheduling assistant of {{company}}. {{first_name}} was chosen for an interview as {{position}}; you agree when and how it takes place.',
      facts: [
        'These times are free: {{slots}}.',
        'The interview is led by {{interviewer}} and takes 45 minutes.',
        'It can be held by video or at the office.',
        'An invitation follows by email within the hour; the date can be moved until one day before.',
      ],
      steps: [
        'We would like to invite you to an interview. Are you still interested in the position?',
        'Which of these times suits you: {{slots}}?',
        'Would you rather come to the office or meet by video?',
        'To which email address may we send the invitation?',
        'Is there anything that we should prepare so that you can take part comfortably?',
      ],
      rules: [
        'Offer no other times than those given. If none fits, take down two wishes and say that a recruiter confirms.',
        'Read the agreed day and time, and the email address letter by letter, back and let them be confirmed.',
      ],
    }),
    first_message:
      'Hello {{first_name}}, good news from {{company}}: we would like to invite you to an interview as {{position}}.',
    tools: [endCall('when the interview is agreed or the applicant withdraws')],
    analysis: {
      scorecard: [
        criterion('Date agreed', 'A day and time were agreed and read back.', 3),
        criterion('Email confirmed', 'The email address was read back and confirmed.', 2),
        criterion('Courtesy', 'The applicant was thanked and told what comes next.', 1),
      ],
      extraction_schema: extraction({
        interview_at: text('The agreed day and time, as said.'),
        format: choice('How it is held.', 'video', 'office'),
        email: text('Where the invitation goes.'),
        accommodation: text('What should be prepared.'),
        wished_times: text('Other times wished, where none fitted.'),
      }),
    },
    nudge_presets: [
      { label: 'Offer video', text: 'Offer to hold the interview by video if travel is the problem.' },
    ],
    max_duration_seconds: 420,
  },
};
