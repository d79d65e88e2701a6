import type { LlmMessage } from '@voice/shared/language-model/conversation';
import { HiddenBlocks } from '../../conversation/spoken-text/hidden-blocks.js';
import { ProviderError } from '../provider-error.js';
import { type LanguageModel, type LlmEvent, type LlmRequest, prepareModel } from './port.js';

/** What ends a question, in the scripts that agents speak. */
const QUESTION = /[?？؟]["'”’»」)]*$/;

/**
 * Fails an answer that ends without a word and without a tool call: cut off in its thoughts, or withheld by a filter.
 * As an answer like others, it would leave the caller in silence.
 */
export function withoutEmptyAnswers(model: LanguageModel): LanguageModel {
  async function* generate(request: LlmRequest, signal: AbortSignal): AsyncGenerator<LlmEvent> {
    const hidden = new HiddenBlocks();
    let isEmpty = true;
    let counted: LlmEvent | undefined;
    for await (const event of model.generate(request, signal)) {
      if (event.type === 'usage' && isEmpty) {
        // What is only counted has not begun to speak: another model may still be asked.
        counted = event;
        continue;
      }
      if (event.type === 'tool_call') isEmpty = false;
      if (event.type === 'text' && isEmpty) isEmpty = !hasWords(event.delta, hidden);
      yield event;
    }
    if (isEmpty && hidden.end().trim() !== '') isEmpty = false;
    if (isEmpty && !signal.aborted && owesWords(request.messages)) throw withoutWords(model.name);
    if (counted) yield counted;
  }
  const { defaultModel } = model;
  return {
    name: model.name,
    ...(defaultModel === undefined ? {} : { defaultModel }),
    generate,
    prepare: (target) => prepareModel(model, target),
  };
}

/** Returns whether something of the text is addressed to the caller. */
function hasWords(delta: string, hidden: HiddenBlocks): boolean {
  for (let i = 0; i < delta.length; i++) if (hidden.push(delta.charAt(i)).trim() !== '') return true;
  return false;
}

/** Returns whether the caller waits for words: not who was just asked something, in the same breath as a tool was called. */
function owesWords(messages: readonly LlmMessage[]): boolean {
  const last = messages.findLast(
    ({ role, content }) => role === 'user' || role === 'system' || (role === 'assistant' && content !== ''),
  );
  return last?.role !== 'assistant' || !QUESTION.test(last.content.trim());
}

function withoutWords(provider: string): ProviderError {
  return new ProviderError({
    provider,
    kind: 'llm',
    code: 'protocol_violation',
    message: 'the language model ended its answer without a word',
    retryable: true,
  });
}
