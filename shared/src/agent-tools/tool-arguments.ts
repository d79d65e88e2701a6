import type { JsonProblem } from '../json-schema/json-schema.js';
import { expanded } from '../json-schema/references.js';
import { schemaProblems } from '../json-schema/supported-schema.js';
import { type ValueCheck, valueCheck } from '../json-schema/value-check.js';
import type { LlmTool } from '../language-model/conversation.js';

/** Problems that the model is given at once. */
const MOST_PROBLEMS = 5;

/**
 * Holds what a model writes as a tool's arguments against the tool's schema, for one conversation. The model learns
 * once what is wrong, so that it can call the tool again; when that is wrong as well, to go on without the tool.
 */
export class ToolArguments {
  readonly #checks = new Map<string, ValueCheck>();
  /** Tools whose last arguments did not fit. */
  readonly #refused = new Set<string>();

  /** Returns what the model is given instead of a result; undefined when the arguments fit. */
  refusal(
    tool: Pick<LlmTool, 'name' | 'parameters'>,
    args: Readonly<Record<string, unknown>>,
  ): string | undefined {
    const problems = this.#check(tool)(args);
    if (problems.length === 0) {
      this.#refused.delete(tool.name);
      return undefined;
    }
    const isSecond = this.#refused.has(tool.name);
    this.#refused.add(tool.name);
    const wrong = problems.slice(0, MOST_PROBLEMS).map(inWords).join('; ');
    return isSecond
      ? `The arguments do not fit again (${wrong}). Do not call ${tool.name} again now: go on without it, or ask the caller for what is missing.`
      : `The arguments do not fit: ${wrong}. The tool was not run. Call it again with arguments that fit, or ask the caller for what is missing.`;
  }

  #check({ name, parameters }: Pick<LlmTool, 'name' | 'parameters'>): ValueCheck {
    const known = this.#checks.get(name);
    if (known) return known;
    // A server's schema may use what we do not know: then the server checks.
    const check = schemaProblems(parameters).length === 0 ? valueCheck(expanded(parameters)) : () => [];
    this.#checks.set(name, check);
    return check;
  }
}

function inWords({ path, message }: JsonProblem): string {
  return path.length === 0 ? message : `${path.join('.')} ${message}`;
}
