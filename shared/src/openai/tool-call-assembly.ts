import { newId } from '../ids/ids.js';
import { CUT_OFF_ARGUMENTS, type LlmToolCall } from '../language-model/conversation.js';

/** A piece of a tool call as chat completions stream it (`delta.tool_calls`). */
interface ToolCallDelta {
  readonly index: number;
  readonly id?: string;
  readonly function?: { readonly name?: string; readonly arguments?: string };
}

/** Returns whether the id names the call: some compatible servers give none, or the same one to each call of an answer. */
function isNamed(id: string, before: readonly { readonly id: string }[]): boolean {
  return id !== '' && before.every((other) => other.id !== id);
}

interface Slot {
  readonly index: number;
  id: string;
  name: string;
  arguments: string;
}

/** Returns whether a fragment begins another call: some compatible servers give each call of an answer the same index. */
function isAnother(delta: ToolCallDelta, { id }: Slot): boolean {
  return Boolean(delta.id && delta.function?.name) && id !== '' && delta.id !== id;
}

/** Puts tool calls together from the fragments in which a stream brings them. */
export class ToolCallAssembly {
  #calls: Slot[] = [];

  add(delta: ToolCallDelta): void {
    let call = this.#calls.findLast(({ index }) => index === delta.index);
    if (!call || isAnother(delta, call)) {
      call = { index: delta.index, id: '', name: '', arguments: '' };
      this.#calls.push(call);
    }
    // The name and id come once; some compatible servers repeat them in every fragment.
    if (delta.id) call.id = delta.id;
    if (delta.function?.name) call.name = delta.function.name;
    call.arguments += delta.function?.arguments ?? '';
  }

  /** Takes the calls, in the model's order, and begins anew. With `isCutOff` the answer ended within the last one. */
  take({ isCutOff = false } = {}): LlmToolCall[] {
    const calls = this.#calls
      .sort((a, b) => a.index - b.index)
      .map((call, position, all) => ({
        id: isNamed(call.id, all.slice(0, position)) ? call.id : `call_${newId().replaceAll('-', '')}`,
        name: call.name,
        arguments: call.arguments || (isCutOff && position === all.length - 1 ? CUT_OFF_ARGUMENTS : '{}'),
      }));
    this.#calls = [];
    return calls;
  }
}
