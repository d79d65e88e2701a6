import { describe, expect, it } from 'vitest';
import { type Chat, NEW_CHAT, withChatEvent, withFailure, withMessage } from './chat.js';

const after = (...events: readonly (readonly [string, object])[]) =>
  events.reduce<Chat>(
    (chat, [event, data]) => withChatEvent(chat, { event, data: JSON.stringify(data) }),
    withMessage(NEW_CHAT, 'Hi'),
  );
const texts = (...events: readonly (readonly [string, object])[]) =>
  after(...events).lines.map(({ role, text }) => `${role}: ${text}`);

describe('a text conversation', () => {
  it('begins with what the agent opens with, though the question asked for it', () => {
    expect(texts(['session', { session_id: 's' }], ['message', { role: 'agent', text: 'Hello.' }])).toEqual([
      'agent: Hello.',
      'caller: Hi',
    ]);
  });

  it('shows an answer as it comes, and then as a whole, once', () => {
    const deltas = [
      ['delta', { text: 'We have ' }],
      ['delta', { text: 'tea.' }],
    ] as const;
    expect(texts(...deltas)).toEqual(['caller: Hi', 'agent: We have tea.']);
    expect(texts(...deltas, ['message', { text: 'We have tea.' }])).toEqual([
      'caller: Hi',
      'agent: We have tea.',
    ]);
  });

  it('shows tools between the words', () => {
    expect(
      texts(
        ['tool_call', { name: 'stock' }],
        ['tool_result', { name: 'stock', status: 'succeeded' }],
        ['delta', { text: 'Seven.' }],
      ),
    ).toEqual(['caller: Hi', 'note: Uses stock …', 'note: stock: succeeded', 'agent: Seven.']);
  });

  it('keeps its session, and says when it is over or failed', () => {
    expect(after(['session', { session_id: 's' }], ['done', { ended: true }])).toMatchObject({
      sessionId: 's',
      ended: true,
    });
    expect(after(['error', { detail: 'The model is down.' }]).error).toBe('The model is down.');
  });

  it('has no message that was refused, and keeps one whose answer broke off', () => {
    const asked = after(['delta', { text: 'We ha' }]);
    expect(withFailure(withMessage(NEW_CHAT, 'Hi'), 'Too many.', true)).toEqual({
      ...NEW_CHAT,
      error: 'Too many.',
    });
    expect(withFailure(asked, 'It broke off.', false)).toEqual({
      ...asked,
      open: false,
      error: 'It broke off.',
    });
  });
});
