import type { Clock } from '@voice/shared/clock/clock';
import type { TenantId } from '@voice/shared/ids/ids';
import type { Log } from '@voice/shared/log/log';
import { z } from 'zod';
import type { ModelChoice, StructuredLanguageModel } from '../../language-model/port.js';
import type { GenerateCriteriaResponse } from './schemas.js';

/** How long the model may take (specification, section 8). */
export const CRITERIA_TIMEOUT_MS = 30_000;

/** The model of the tenant's most recently updated active agent; null without one. */
type LatestModel = (tenant: TenantId) => Promise<ModelChoice | null>;

/** Serves any goal, for when no model answers. */
const DEFAULTS = {
  outcome_labels: ['goal_reached', 'call_back', 'not_interested', 'no_decision'],
  success_criteria: 'The person agreed to what the call was for.',
  extraction_schema: {
    type: 'object',
    properties: {
      interested: { type: 'boolean', description: 'Whether the person showed interest.' },
      next_step: { type: 'string', description: 'What was agreed to happen next.' },
      notes: { type: 'string', description: 'Anything else that matters.' },
    },
  },
};

const answer = z.object({
  outcome_labels: z.array(z.string().min(1).max(100)).min(2).max(12),
  success_criteria: z.string().min(1).max(4000),
  /** A list, because models fill lists more reliably than they write JSON Schema. */
  fields: z
    .array(
      z.object({
        name: z.string().regex(/^[a-z][a-z0-9_]{0,63}$/),
        type: z.enum(['string', 'number', 'boolean']),
        description: z.string().max(500),
      }),
    )
    .max(30),
});

const SYSTEM = `You set up campaigns of telephone calls. Given what a campaign is for, name:
- outcome_labels: 3 to 6 ways in which a call may end, in snake_case; the first is the one hoped for;
- success_criteria: one or two sentences that tell when a call has reached its goal;
- fields: what to note from each call, with names in snake_case.`;

interface CriteriaGeneratorOptions {
  readonly model: StructuredLanguageModel;
  readonly latestModel: LatestModel;
  readonly clock: Clock;
  readonly log: Log;
}

export class CriteriaGenerator {
  readonly #options: CriteriaGeneratorOptions;

  constructor(options: CriteriaGeneratorOptions) {
    this.#options = options;
  }

  /** Never fails for want of a model: generic defaults stand in. */
  async generate(tenant: TenantId, goal: string): Promise<GenerateCriteriaResponse> {
    const choice = await this.#options.latestModel(tenant);
    if (!choice) return { ...DEFAULTS, source: 'defaults' };
    try {
      const { value } = await this.#ask(choice, goal);
      return {
        outcome_labels: [...new Set(value.outcome_labels.map((label) => label.trim()))],
        success_criteria: value.success_criteria,
        extraction_schema: {
          type: 'object',
          properties: Object.fromEntries(
            value.fields.map(({ name, type, description }) => [name, { type, description }]),
          ),
        },
        source: 'model',
      };
    } catch (err) {
      this.#options.log.warn({ tenant, err }, 'criteria: the model failed, defaults are used');
      return { ...DEFAULTS, source: 'defaults' };
    }
  }

  async #ask(choice: ModelChoice, goal: string) {
    const timeout = new AbortController();
    const { signal } = timeout;
    const timer = this.#options.clock.schedule(CRITERIA_TIMEOUT_MS, () =>
      timeout.abort(new Error(`no answer within ${CRITERIA_TIMEOUT_MS} ms`)),
    );
    // Also for a model that does not listen to the signal.
    const late = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    try {
      const question = { choice, system: SYSTEM, user: goal, schema: answer, purpose: 'criteria' };
      return await Promise.race([this.#options.model.answer(question, signal), late]);
    } finally {
      timer.cancel();
    }
  }
}
