import { expect, it } from 'vitest';
import { standingOf } from './standing.js';

const at = '2026-11-22T20:00:00Z';

it.each([
  [null, 'A', 'Not verified'],
  [at, null, 'Verified'],
  [at, 'A', 'Verified'],
  [at, 'B', 'Attested B'],
  [at, 'C', 'Attested C'],
] as const)('verified %s with attestation %s is: %s', (caller_id_verified_at, attestation, word) =>
  expect(standingOf({ caller_id_verified_at, attestation }).word).toBe(word),
);
