import { newId } from '@voice/shared/ids/ids';
import type { LlmToolCall } from '@voice/shared/language-model/conversation';
import type { ChatCompletionChunk } from 'openai/resources/chat/completions';

type ToolCallDelta = ChatCompletionChunk.Choice.Delta.ToolCall;

/** Returns whether the id names the call: some compatible servers give none, or the same one to each call of an answer. */
function isNamed(id: string, before: readonly (readonly [number, { readonly id: string }])[]): boolean {
  return id !== '' && before.every(([, other]) => other.id !== id);
}

/** Puts tool calls together from the fragments in which a stream brings them. */
export class ToolCallAssembly {
  #calls = new Map<number, { id: string; name: string; arguments: string }>();

  add(delta: ToolCallDelta): void {
    const call = this.#calls.get(delta.index) ?? { id: '', name: '', arguments: '' };
    this.#calls.set(delta.index, call);
    // The name and id come once; some compatible servers repeat them in every fragment.
    if (delta.id) call.id = delta.id;
    if (delta.function?.name) call.name = delta.function.name;
    call.arguments += delta.function?.arguments ?? '';
  }

  /** Takes the calls, in the model's order, and begins anew. */
  take(): LlmToolCall[] {
    const calls = [...this.#calls.entries()]
      .sort(([a], [b]) => a - b)
      .map(([, call], index, all) => ({
        id: isNamed(call.id, all.slice(0, index)) ? call.id : `call_${newId().replaceAll('-', '')}`,
        name: call.name,
        arguments: call.arguments === '' ? '{}' : call.arguments,
      }));
    this.#calls = new Map();
    return calls;
  }
}
