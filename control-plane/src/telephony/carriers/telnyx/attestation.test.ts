import { describe, expect, it } from 'vitest';
import { meaningOf, type TelnyxEvent } from './webhook.js';

const meaningsOf = (event_type: string, payload: Partial<TelnyxEvent['payload']>) =>
  meaningOf({
    id: 'event-1',
    event_type,
    payload: { call_control_id: 'v3:call', from: '+12125551000', to: '+12125551001', ...payload },
  });

describe("Telnyx's word for the attestation", () => {
  it.each([
    ['B', true, 'B'],
    ['a', true, 'A'],
    ['A', false, null],
    ['A', undefined, null],
    ['X', true, null],
  ])('of a caller counts when it was validated: %s, %s', (level, validated, attestation) => {
    const payload = {
      direction: 'incoming',
      shaken_stir_attestation: level,
      shaken_stir_validated: validated,
    };
    expect(meaningsOf('call.initiated', payload)).toMatchObject([{ kind: 'inbound', call: { attestation } }]);
  });

  it.each([
    ['C', undefined, 'C'],
    ['A', true, 'A'],
    ['A', false, null],
    [undefined, undefined, null],
  ])('of our own call is how it was signed: %s, %s', (level, validated, attestation) => {
    const payload = {
      direction: 'outgoing',
      shaken_stir_attestation: level,
      shaken_stir_validated: validated,
    };
    expect(meaningsOf('call.answered', payload)).toMatchObject([{ kind: 'report', report: { attestation } }]);
  });
});
