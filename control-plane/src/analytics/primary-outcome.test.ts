import { expect, it } from 'vitest';
import { primaryOutcome } from './primary-outcome.js';

const counts = [
  { completed: true, outcome: 'sold', calls: 3 },
  { completed: true, outcome: 'lost', calls: 4 },
  { completed: true, outcome: null, calls: 2 },
  { completed: false, outcome: null, calls: 5 },
  // Voicemails that were labelled by what was said on them.
  { completed: false, outcome: 'sold', calls: 20 },
];

// @rule 2.16
it.each([
  [['sold', 'lost'], { label: 'sold', calls: 34, completed: 9, count: 3 }],
  [['lost', 'sold'], { label: 'lost', calls: 34, completed: 9, count: 4 }],
  [['other'], { label: 'other', calls: 34, completed: 9, count: 0 }],
  [[], { label: 'Completed', calls: 34, completed: 9, count: 9 }],
])(
  'the primary outcome is the first entry of outcome_labels, without labels Completed: %j',
  (labels, expected) => {
    expect(primaryOutcome(labels, counts)).toEqual(expected);
  },
);
