import { propertiesOf, shapeOf } from './json-schema.js';

interface Theme {
  readonly when: RegExp;
  readonly labels: readonly string[];
  readonly fields: Readonly<Record<string, string>>;
}

/** Goals that the rules know, the narrowest first. */
const THEMES: readonly Theme[] = [
  {
    when: /\b(?:book|appointment|schedul|demo|meeting|visit|reserv)/i,
    labels: ['booked', 'call_back', 'not_interested', 'no_decision'],
    fields: { preferred_date: 'The day that suits them.', preferred_time: 'The time that suits them.' },
  },
  {
    when: /\b(?:pay|debt|invoice|overdue|collect|bill)/i,
    labels: ['promised_to_pay', 'disputed', 'call_back', 'refused'],
    fields: { promised_date: 'The day they promised to pay.', amount: 'The amount they named.' },
  },
  {
    when: /\b(?:survey|feedback|satisf|opinion|rating)/i,
    labels: ['completed', 'partial', 'declined'],
    fields: { rating: 'The rating they gave.', comment: 'What they said about it.' },
  },
  {
    when: /\b(?:renew|subscri|upgrade|cancel|retention)/i,
    labels: ['renewed', 'undecided', 'not_renewed'],
    fields: { reason: 'Why they decided so.' },
  },
  {
    when: /\b(?:qualif|lead|sale|sell|offer|quote|interest|candidate|screen)/i,
    labels: ['qualified', 'call_back', 'not_qualified', 'not_interested'],
    fields: {
      budget: 'The budget they named.',
      timeline: 'When they want to decide.',
      need: 'What they need.',
    },
  },
];
const ANY: Theme = {
  when: /./,
  labels: ['goal_reached', 'call_back', 'not_interested'],
  fields: { notes: 'What matters of what they said.' },
};
const NAMED_FIELDS: readonly [RegExp, string, string][] = [
  [/\be-?mail/i, 'email', 'Their e-mail address.'],
  [/\bname/i, 'name', 'Their name.'],
  [/\bphone/i, 'phone', 'Their phone number.'],
  [/\baddress/i, 'address', 'Their postal address.'],
];

/** Outcome labels and an extraction schema for a goal, by keywords: fields go where their names fit. Pure. */
export function criteriaByRules(schema: unknown, goal: string): Record<string, unknown> {
  const theme = THEMES.find(({ when }) => when.test(goal)) ?? ANY;
  const fields = { ...theme.fields };
  for (const [when, name, description] of NAMED_FIELDS) if (when.test(goal)) fields[name] = description;
  const answer: Record<string, unknown> = {};
  for (const [name, of] of propertiesOf(schema)) {
    if (/label/.test(name)) answer[name] = [...theme.labels];
    else if (/schema|extract|fields/.test(name)) answer[name] = extraction(fields, shapeOf(of).type);
    else if (shapeOf(of).type === 'array')
      answer[name] = [`The call ends with the outcome "${theme.labels[0]}".`];
    else if (shapeOf(of).type === 'string')
      answer[name] = `The call ends with the outcome "${theme.labels[0]}".`;
    else if (shapeOf(of).type === 'object') answer[name] = {};
  }
  return answer;
}

function extraction(fields: Readonly<Record<string, string>>, type: string | undefined): unknown {
  if (type === 'array') {
    return Object.entries(fields).map(([name, description]) => ({ name, type: 'string', description }));
  }
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(fields).map(([name, description]) => [name, { type: 'string', description }]),
    ),
  };
}
