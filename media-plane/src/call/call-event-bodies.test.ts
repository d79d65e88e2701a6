import { callEvent, type TranscriptTurn } from '@voice/shared/contracts/call-events';
import { newId } from '@voice/shared/ids/ids';
import { expect, it } from 'vitest';
import { noticeEvent, turnEvent } from './call-event-bodies.js';

const base = { call_id: newId(), seq: 1, at: 1 };
const long = 'x'.repeat(1_000_000);

it('keep of a turn what a person could say, however much a model or a recogniser says', () => {
  const turn: TranscriptTurn = {
    index: 0,
    role: 'agent',
    text: long,
    heard_text: long,
    interrupted: false,
    started_at_ms: 0.4,
    ended_at_ms: 10.6,
    confidence: null,
  };
  const event = callEvent.parse({ ...base, ...turnEvent(turn) });
  expect(JSON.stringify(event).length).toBeLessThan(41_000);
  expect(event).toMatchObject({ turn: { started_at_ms: 0, ended_at_ms: 11 } });
});

it('cut the message of a notice to what the control plane takes', () => {
  expect(callEvent.parse({ ...base, ...noticeEvent('mcp_server_unavailable', long) })).toMatchObject({
    message: 'x'.repeat(500),
  });
});
