import { describe, expect, it } from 'vitest';
import { heardOptOut } from './opt-out-heard.js';

describe('a request not to be called again is heard in', () => {
  it.each([
    'Do not call me again.',
    "Don't call me again!",
    'please don’t call me anymore',
    'Never call this number again',
    "Don't ever call here again, okay?",
    'do not call me',
    'I told you not to call me again.',
    'Stop calling me.',
    'Would you please stop calling?',
    'Take me off your list.',
    'Can you take me off of your calling list, please?',
    'Remove my number from your database',
    'Please remove me from all your lists.',
    'Put me on your do-not-call list.',
    'put me on the do not call list',
    'I want to opt out.',
    "I'd like to opt out of this",
    'Unsubscribe me.',
    'Lose my number.',
    "I don't want to be called anymore",
    "We don't want any more calls.",
    'No more calls, thank you.',
    "I'm not interested, don't call me again, goodbye.",
    'Rufen Sie mich bitte nicht mehr an.',
    'Rufen Sie hier nie wieder an!',
    'Ich möchte nicht mehr angerufen werden.',
    'Streichen Sie mich von Ihrer Liste.',
    'No me vuelva a llamar.',
    'No me llame más, por favor.',
    'Quíteme de su lista.',
    "Ne m'appelez plus.",
    'Retirez-moi de votre liste.',
  ])('%s', (text) => expect(heardOptOut(text)).toBe(true));
});

describe('no such request is heard in', () => {
  it.each([
    'Yes, please call me again tomorrow.',
    'Can you call me back?',
    "Don't call me before six, I am at work.",
    "Don't call me Bob.",
    'Call me on Friday.',
    'Why did nobody call me?',
    'I never called you.',
    'What is on your list?',
    "You don't have to take me off your list.",
    'You needn\u2019t take me off your list.',
    'Never take me off your list.',
    'Please add me to the waiting list.',
    'Take me off hold, please.',
    'I will stop by and call my sister.',
    'Can you remove the cleaning from my order?',
    'Yes, please, that would be good.',
    'My number is five five five.',
    'Rufen Sie mich morgen wieder an.',
    'Llámeme más tarde.',
    '',
  ])('%s', (text) => expect(heardOptOut(text)).toBe(false));
});

it('is quick on long and hostile text', () => {
  // The processor's time, which other work on the machine does not take from it.
  const started = process.cpuUsage();
  heardOptOut('do not call me '.repeat(5000));
  heardOptOut(`remove me from the ${'very '.repeat(5000)}`);
  heardOptOut(`i ${'would like to '.repeat(5000)}`);
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(500);
});
