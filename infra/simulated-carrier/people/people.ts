import { demoLines } from '@voice/shared/contracts/demo-agent';
import type { SimulatedBehavior } from '@voice/shared/contracts/test-numbers';
import type { PersonScript, Pickup } from './script.js';

/** Short, so that a demonstration need not wait. */
const RING_MS = 600;
const answers: Pickup = { pickup: 'answers', ringMs: RING_MS, answeredBy: 'human' };
const sam = { voice: 'en-us+m3', rate: 165 };

/** Gaps differ as people's do, and are the same in every call. In ms. */
const GAPS = [900, 780, 860, 820, 940];
const gap = (index: number) => GAPS[index % GAPS.length]!;
const reply = (text: string, index: number) => ({ does: 'reply', text, gapMs: gap(index) }) as const;

export type People = Readonly<Record<SimulatedBehavior, PersonScript>>;

/** Who answers the carrier's test numbers, by behaviour. */
export const PEOPLE: People = {
  talks: { behavior: 'talks', pickup: answers, ...sam, moves: demoLines.talks.map(reply) },
  talks_over: {
    behavior: 'talks_over',
    pickup: answers,
    ...sam,
    moves: [
      reply(demoLines.talks_over[0], 0),
      { does: 'interrupt', text: demoLines.talks_over[1], afterMs: 1200 },
      reply(demoLines.talks_over[2], 1),
    ],
  },
  hangs_up: {
    behavior: 'hangs_up',
    pickup: answers,
    ...sam,
    moves: [reply(demoLines.hangs_up[0], 0), { does: 'hang_up', afterMs: 1200 }],
  },
  stays_silent: {
    behavior: 'stays_silent',
    pickup: { pickup: 'answers', ringMs: RING_MS, answeredBy: 'unknown' },
    ...sam,
    moves: [{ does: 'stay_silent', ms: 180_000 }],
  },
  voicemail: {
    behavior: 'voicemail',
    pickup: { pickup: 'answers', ringMs: RING_MS, answeredBy: 'machine' },
    ...sam,
    moves: [
      {
        does: 'announce',
        text: 'Hello, you have reached the voicemail of Sam Taylor. I cannot take your call right now. Please leave a message after the tone.',
      },
      { does: 'beep' },
      { does: 'record', silenceMs: 6000, longestMs: 60_000 },
    ],
  },
  busy: { behavior: 'busy', pickup: { pickup: 'busy', ringMs: 300 }, ...sam, moves: [] },
  no_answer: { behavior: 'no_answer', pickup: { pickup: 'never' }, ...sam, moves: [] },
  rejects: { behavior: 'rejects', pickup: { pickup: 'fails' }, ...sam, moves: [] },
};
