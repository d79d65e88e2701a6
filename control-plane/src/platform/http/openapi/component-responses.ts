import type { ErrorCode } from '../error-codes.js';
import { type JsonSchema, pascal } from './json-schema.js';

const LONGEST_NAME = 60;

/**
 * Error answers that operations have in common, each described once under `components.responses`: by their codes,
 * such as `AgentNotFound`.
 */
export class ComponentResponses {
  readonly #responses = new Map<string, JsonSchema>();

  /** Returns a reference to the answer; the answer itself where its name is taken by another. */
  of(codes: readonly ErrorCode[], answer: JsonSchema): JsonSchema {
    const name = nameOf(codes);
    const known = this.#responses.get(name);
    if (known && JSON.stringify(known) !== JSON.stringify(answer)) return answer;
    this.#responses.set(name, answer);
    return { $ref: `#/components/responses/${name}` };
  }

  all(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#responses].sort(([a], [b]) => a.localeCompare(b)));
  }
}

function nameOf(codes: readonly ErrorCode[]): string {
  const full = codes.map(pascal).join('Or');
  return full.length <= LONGEST_NAME ? full : `${pascal(codes[0]!)}Or${codes.length - 1}Others`;
}
