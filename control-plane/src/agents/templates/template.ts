import type { z } from 'zod';
import type { agentSettings } from '../schemas.js';
import type { Capability } from './capabilities.js';
import type { TemplateTool } from './tool.js';

export const TEMPLATE_CATEGORIES = [
  'hr',
  'sales',
  'real_estate',
  'healthcare',
  'insurance',
  'collections',
  'support',
  'hospitality',
  'research',
  'events',
] as const;
type TemplateCategory = (typeof TEMPLATE_CATEGORIES)[number];

/** What stands in the texts as `{{name}}`. */
export interface TemplateVariable {
  readonly name: string;
  readonly description: string;
  readonly example: string;
  /**
   * `clone`: the same for all calls, best given when cloning. `call`: of the person who is called, given with
   * each call or by the columns of a campaign's contacts.
   */
  readonly given: 'clone' | 'call';
}

/** An agent that somebody else has thought through, to be made one's own. */
export interface AgentTemplate {
  readonly slug: string;
  readonly name: string;
  readonly category: TemplateCategory;
  readonly description: string;
  readonly variables: readonly TemplateVariable[];
  /** For a campaign of this agent: the first is the success. */
  readonly outcomeLabels: readonly string[];
  /** What it can do with integrations; without them it does its work in words. */
  readonly capabilities?: readonly Capability[];
  /** What the agent is made of; whatever is left out has the usual default. */
  readonly agent: z.input<typeof agentSettings>;
}

/** Writes a prompt in the form that language models, and the built-in stand-in, follow best. */
export function prompt(parts: {
  readonly role: string;
  readonly facts: readonly string[];
  readonly steps: readonly string[];
  readonly rules: readonly string[];
}): string {
  const bullets = (lines: readonly string[]) => lines.map((line) => `- ${line}`).join('\n');
  return [
    `${parts.role} This is a phone call: speak in one or two short sentences at a time, ask one question at a time, and wait for the answer.`,
    `Facts:\n${bullets(parts.facts)}`,
    `Steps:\n${parts.steps.map((step, i) => `${i + 1}. Ask: ${step}`).join('\n')}`,
    `Rules:\n${bullets([...parts.rules, ...ALWAYS])}`,
    'When all steps are done or the other person says goodbye, say goodbye and end the call with end_call.',
  ].join('\n\n');
}

const ALWAYS = [
  'Answer questions from the facts alone. What they do not tell, you do not know: say so and offer that somebody calls back.',
  'If the person asks not to be called again, apologise, confirm that they will not be, and end the call.',
  'If you reach somebody else, or somebody who has no time, ask for a better time and end the call.',
];

export const endCall = (when: string): TemplateTool => ({
  type: 'end_call',
  name: 'end_call',
  description: `Ends the call. Use it ${when}, after you have said goodbye.`,
});

export const transferTo = (
  whom: string,
  when: string,
  transfer_type: 'warm' | 'cold' = 'cold',
): TemplateTool => ({
  type: 'transfer_call',
  name: 'transfer_call',
  description: `Puts the call through to ${whom}. Use it ${when}. When it is not possible, promise a call back.`,
  transfer_type,
});

export const pressKeys = (when: string): TemplateTool => ({
  type: 'send_dtmf',
  name: 'send_dtmf',
  description: `Presses keys of the phone. Use it ${when}.`,
});

type Field = Readonly<Record<string, unknown>>;
export const text = (description: string): Field => ({ type: ['string', 'null'], description });
export const amount = (description: string): Field => ({ type: ['number', 'null'], description });
export const flag = (description: string): Field => ({ type: ['boolean', 'null'], description });
export const choice = (description: string, ...values: readonly string[]): Field => ({
  type: ['string', 'null'],
  enum: [...values, null],
  description,
});

/** Builds a JSON Schema whose fields are all present, and null where the call did not say. */
export function extraction(fields: Readonly<Record<string, Field>>): Record<string, unknown> {
  return {
    type: 'object',
    properties: fields,
    required: Object.keys(fields),
    additionalProperties: false,
  };
}

export const criterion = (name: string, description: string, weight = 1) => ({ name, description, weight });

export const perClone = (name: string, description: string, example: string): TemplateVariable => ({
  name,
  description,
  example,
  given: 'clone',
});
export const perCall = (name: string, description: string, example: string): TemplateVariable => ({
  name,
  description,
  example,
  given: 'call',
});

export const COMPANY = perClone('company', 'Your organisation as it is spoken.', 'Northwind');
export const FIRST_NAME = perCall('first_name', 'Of the person who is called.', 'Ada');
