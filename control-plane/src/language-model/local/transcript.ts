import type { LlmMessage } from '@voice/shared/language-model/conversation';

const LINE = /^(agent|caller|operator|tool): (.*)$/;

/** Returns the conversation in a question's text, where each line begins with who said it. Pure. */
export function conversationIn(text: string): LlmMessage[] {
  return text.split('\n').flatMap((line): LlmMessage[] => {
    const [, role, said] = LINE.exec(line) ?? [];
    if (said === undefined) return [];
    if (role === 'agent') return [{ role: 'assistant', content: said }];
    return role === 'caller' ? [{ role: 'user', content: said }] : [];
  });
}

/** Only what the caller said. */
export function callersWords(messages: readonly LlmMessage[]): string {
  return messages.flatMap((message) => (message.role === 'user' ? [message.content] : [])).join(' ');
}
