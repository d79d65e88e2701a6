import type { ToolCall } from './turn-taking/events.js';

/**
 * Names the tool calls of one call, each by an id of its own. Servers that are compatible with a vendor's may begin
 * their ids anew with each answer, and everything behind the model (results, records, idempotency) goes by them.
 */
export class ToolCallIds {
  /** Which turn of the agent made the call of that id. */
  readonly #turns = new Map<string, number>();

  /** Returns the call by an id that no other turn's call has, and the server's beside it where that is another. */
  named(turn: number, call: ToolCall): ToolCall {
    let id = call.id;
    for (let n = 2; (this.#turns.get(id) ?? turn) !== turn; n++) id = `${call.id}_${n}`;
    this.#turns.set(id, turn);
    return id === call.id ? call : { ...call, id, serverId: call.id };
  }
}
