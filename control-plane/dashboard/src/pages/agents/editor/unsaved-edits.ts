import type { AgentForm } from './form.js';

/** What was edited of an agent, and what the form had begun with. */
export interface UnsavedEdit {
  readonly begun: AgentForm;
  readonly edited: AgentForm;
}

/**
 * Edits of agents that the end of a session took off the page, until its editor is shown again. In memory alone: they
 * may hold secrets.
 */
export class UnsavedEdits {
  readonly #open = new Map<string, () => UnsavedEdit>();
  readonly #kept = new Map<string, UnsavedEdit>();

  /** An editor has what is not saved. Returns what ends that. */
  watch(agentId: string, read: () => UnsavedEdit): () => void {
    this.#open.set(agentId, read);
    return () => void (this.#open.get(agentId) === read && this.#open.delete(agentId));
  }

  /** Says whether an editor has what is not saved. */
  get isOpen(): boolean {
    return this.#open.size > 0;
  }

  /** The session is over. */
  keep(): void {
    for (const [agentId, read] of this.#open) this.#kept.set(agentId, read());
  }

  /** Says whether something waits for who signs in. */
  get isKept(): boolean {
    return this.#kept.size > 0;
  }

  of(agentId: string): UnsavedEdit | undefined {
    return this.#kept.get(agentId);
  }

  /** Its editor shows it again. */
  drop(agentId: string): void {
    this.#kept.delete(agentId);
  }

  /** Somebody signs out: what was theirs is nobody's any more. */
  dropAll(): void {
    this.#open.clear();
    this.#kept.clear();
  }
}

export const unsavedEdits = new UnsavedEdits();
