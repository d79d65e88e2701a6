/** A function call that the model waits for. */
interface PendingCall {
  readonly id: string;
  readonly name: string;
  result?: string;
}

const STILL_RUNNING = 'The tool is still running. Its result follows as a note.';

/** Tracks the calls that the model waits for, and their results. */
export class ToolCalls {
  #pending = new Map<string, PendingCall>();

  /** Returns whether the model waits. */
  get waiting(): boolean {
    return this.#pending.size > 0;
  }

  /** Returns whether all that it waits for is there. */
  get complete(): boolean {
    return this.waiting && [...this.#pending.values()].every((call) => call.result !== undefined);
  }

  add(calls: readonly { readonly id: string; readonly name: string }[]): void {
    for (const { id, name } of calls) this.#pending.set(id, { id, name });
  }

  /** Keeps a result; false when nobody waits for it (any more). */
  settle(id: string, result: string): boolean {
    const call = this.#pending.get(id);
    if (!call) return false;
    call.result = result;
    return true;
  }

  /** Cancels calls that the model no longer waits for, and returns those that have a result already. */
  cancel(ids: readonly string[]): readonly string[] {
    const results: string[] = [];
    for (const id of ids) {
      const result = this.#pending.get(id)?.result;
      this.#pending.delete(id);
      if (result !== undefined) results.push(result);
    }
    return results;
  }

  /** Answers to all calls; whatever is still running comes later, as a note. */
  take(): Record<string, unknown> {
    const functionResponses = [...this.#pending.values()].map(({ id, name, result }) => ({
      id,
      name,
      response: { output: resultOf(result ?? STILL_RUNNING) },
    }));
    this.#pending.clear();
    return { toolResponse: { functionResponses } };
  }

  clear(): void {
    this.#pending.clear();
  }
}

/** Results are objects where they can be, so that the model reads fields and not JSON in a string. */
function resultOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === 'object' ? value : text;
  } catch {
    return text;
  }
}
