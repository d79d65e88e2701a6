/** How a simulated person behind a carrier test number behaves. */
export type SimulatedBehavior =
  | 'talks'
  | 'busy'
  | 'no_answer'
  | 'voicemail'
  | 'hangs_up'
  | 'talks_over'
  | 'stays_silent'
  | 'rejects';

export interface TestNumber {
  readonly number: string;
  readonly behavior: SimulatedBehavior;
  readonly description: string;
}

/** The only numbers that a sandbox key may dial: nobody real owns them (NANP 500-555-00xx). */
export const TEST_NUMBERS: readonly TestNumber[] = [
  { number: '+15005550006', behavior: 'talks', description: 'answers, talks, says goodbye' },
  { number: '+15005550010', behavior: 'busy', description: 'is busy' },
  { number: '+15005550011', behavior: 'no_answer', description: 'rings until the time-out' },
  { number: '+15005550012', behavior: 'voicemail', description: 'has a voicemail greeting with a beep' },
  { number: '+15005550013', behavior: 'hangs_up', description: 'answers and hangs up in mid-call' },
  { number: '+15005550014', behavior: 'talks_over', description: 'interrupts the agent' },
  { number: '+15005550015', behavior: 'stays_silent', description: 'answers and never says a word' },
  { number: '+15005550016', behavior: 'rejects', description: 'cannot be reached by the carrier' },
];

/** The caller ID that every tenant may use in the sandbox: verified, attestation A. */
export const SANDBOX_CALLER_ID = '+15005550100';

export function testNumber(number: string): TestNumber | undefined {
  return TEST_NUMBERS.find((entry) => entry.number === number);
}
