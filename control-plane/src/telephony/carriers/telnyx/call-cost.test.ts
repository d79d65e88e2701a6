import { describe, expect, it } from 'vitest';
import { encodeClientState } from './client-state.js';
import { meaningOf, type TelnyxEvent } from './webhook.js';

const CALL_ID = '019c0000-0000-7000-8000-000000000001';
const cost = (payload: Partial<TelnyxEvent['payload']>) =>
  meaningOf({
    id: 'event-1',
    event_type: 'call.cost',
    payload: {
      call_control_id: 'v3:call',
      client_state: encodeClientState({ call_id: CALL_ID }),
      status: 'success',
      ...payload,
    },
  });

describe("Telnyx's call.cost", () => {
  it('is what the carrier charges for the call', () => {
    expect(cost({ total_cost: '0.0123', cost_parts: [{ currency: 'USD' }] })).toEqual([
      {
        kind: 'report',
        report: { kind: 'price', callId: CALL_ID, carrierCallId: 'v3:call', amount: 12_300 },
      },
    ]);
  });

  it.each([
    ['that failed', { status: 'error', total_cost: '0.01' }],
    ['in another currency', { total_cost: '0.01', cost_parts: [{ currency: 'EUR' }] }],
    ['without an amount', {}],
    ['with no number', { total_cost: 'free' }],
  ])('%s means nothing', (_, payload) => {
    expect(cost(payload)).toEqual([]);
  });
});
