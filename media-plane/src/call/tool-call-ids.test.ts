import { expect, it } from 'vitest';
import { ToolCallIds } from './tool-call-ids.js';
import type { ToolCall } from './turn-taking/events.js';

const call = (id: string): ToolCall => ({
  id,
  name: 'look',
  arguments: '{}',
  kind: 'http',
  sideEffects: false,
});

it('leaves the ids of a server alone that names each call by another', () => {
  const ids = new ToolCallIds();
  expect([ids.named(1, call('a')), ids.named(2, call('b'))]).toEqual([call('a'), call('b')]);
});

it('gives calls of later turns ids of their own, and keeps what the server is answered', () => {
  const ids = new ToolCallIds();
  const names = [1, 2, 3].map((turn) => ids.named(turn, call('call_0')));
  expect(names).toEqual([
    call('call_0'),
    { ...call('call_0_2'), serverId: 'call_0' },
    { ...call('call_0_3'), serverId: 'call_0' },
  ]);
});

it('knows a call again that its turn repeats', () => {
  const ids = new ToolCallIds();
  ids.named(1, call('a'));
  expect(ids.named(2, call('a'))).toEqual(ids.named(2, call('a')));
});
