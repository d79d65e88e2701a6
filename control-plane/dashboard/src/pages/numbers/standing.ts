import type { PhoneNumber } from '../../api/types.js';
import type { Tone } from '../../ui/badge.js';

type Facts = Pick<PhoneNumber, 'caller_id_verified_at' | 'attestation'>;

interface Standing {
  readonly word: string;
  readonly tone: Tone;
  /** What it means for calls from the number, as a sentence. */
  readonly meaning: string;
}

/** Whether agents can call from a number, and why not. B and C are not dialed with; no attestation is no refusal. */
export function standingOf({ caller_id_verified_at, attestation }: Facts): Standing {
  if (caller_id_verified_at === null) {
    return {
      word: 'Not verified',
      tone: 'warn',
      meaning: 'Calls to it are answered. Verify it by a code, and agents can call from it.',
    };
  }
  if (attestation === 'B' || attestation === 'C') {
    return {
      word: `Attested ${attestation}`,
      tone: 'bad',
      meaning: `The carrier vouches for it with ${attestation} alone, so agents do not call from it. Ask the carrier for A.`,
    };
  }
  return { word: 'Verified', tone: 'good', meaning: 'Agents can call from it.' };
}
