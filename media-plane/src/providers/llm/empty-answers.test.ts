import type { LlmMessage } from '@voice/shared/language-model/conversation';
import { describe, expect, it } from 'vitest';
import { ScriptedLanguageModel } from '../../testing/scripted-providers.js';
import { withoutEmptyAnswers } from './empty-answers.js';
import type { LlmEvent } from './port.js';

const USAGE: LlmEvent = { type: 'usage', inputTokens: 10, outputTokens: 5 };
const CALL: LlmEvent = { type: 'tool_call', call: { id: 'c1', name: 'book', arguments: '{}' } };
const text = (delta: string): LlmEvent => ({ type: 'text', delta });
const asked: LlmMessage = { role: 'user', content: 'When are you open?' };

async function answer(events: readonly LlmEvent[], messages: readonly LlmMessage[] = [asked]) {
  const model = withoutEmptyAnswers(new ScriptedLanguageModel([events]));
  const request = { choice: { provider: 'scripted', model: '', params: {} }, credentials: {}, tools: [] };
  const seen: LlmEvent[] = [];
  for await (const event of model.generate({ ...request, messages }, new AbortController().signal))
    seen.push(event);
  return seen;
}

describe('a model that says nothing', () => {
  it.each<[string, readonly LlmEvent[]]>([
    ['ends at once', []],
    ['writes white space only', [text(' '), text('\n')]],
    ['is cut off in its thoughts', [text('<thi'), text('nk>The caller wants the opening'), text(' hours')]],
    ['thinks to the end and stops', [text('<think>Hm.</think>'), text('\n\n')]],
  ])('fails when it %s', async (_how, events) => {
    await expect(answer(events)).rejects.toMatchObject({
      code: 'llm_protocol_violation',
      retryable: true,
    });
  });

  it('has not begun: nothing of an answer without a word is passed on before it fails', async () => {
    const model = withoutEmptyAnswers(new ScriptedLanguageModel([[]]));
    const request = { choice: { provider: 's', model: '', params: {} }, credentials: {}, messages: [asked] };
    const events = model.generate({ ...request, tools: [] }, new AbortController().signal);
    await expect(events[Symbol.asyncIterator]().next()).rejects.toMatchObject({ retryable: true });
  });

  it.each<[string, readonly LlmEvent[]]>([
    ['calls a tool', [CALL]],
    ['says a word after its thoughts', [text('<think>Hm.</think>'), text('Nine.')]],
    ['says what looks like the beginning of a tag', [text('<3')]],
    ['writes an ellipsis', [text('…')]],
  ])('does not fail when it %s', async (_how, events) => {
    expect(await answer(events)).toEqual([...events, USAGE]);
  });
});

describe('a model that has nothing to add to the result of its tool', () => {
  const called = (content: string): readonly LlmMessage[] => [
    asked,
    { role: 'assistant', content },
    { role: 'assistant', content: '', toolCalls: [{ id: 'c1', name: 'note', arguments: '{}' }] },
    { role: 'tool', toolCallId: 'c1', content: 'noted' },
  ];

  it('leaves the word to the caller, whom it has asked something', async () => {
    expect(await answer([], called('I have noted that. Anything else?'))).toEqual([USAGE]);
  });

  it('fails when the caller waits for what it went to look up', async () => {
    await expect(answer([], called('Let me have a look.'))).rejects.toMatchObject({ retryable: true });
  });

  it('fails when something has come since that the caller does not know', async () => {
    const late: LlmMessage = { role: 'system', content: 'The tool note has finished.' };
    await expect(answer([], [...called('Anything else?'), late])).rejects.toMatchObject({ retryable: true });
  });
});
