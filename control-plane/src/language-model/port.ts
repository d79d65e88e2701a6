import type { ProviderChoice } from '@voice/shared/contracts/agent';
import type { z } from 'zod';
import type { TenantAccount } from '../vendors/keys/service.js';

/** A model, and on whose accounts it is asked; without an account, on the installation's. */
export interface ModelChoice extends ProviderChoice {
  readonly account?: TenantAccount;
}

export interface StructuredRequest<T> {
  /** The agent's own choice; `local` is answered without a network, by rules. */
  readonly choice: ModelChoice;
  readonly system: string;
  readonly user: string;
  /** What the answer must be; the model is given it as JSON Schema and its answer is checked against it. */
  readonly schema: z.ZodType<T>;
  /** Name of the task for metering and logs: `analysis`, `criteria`, `insights`. */
  readonly purpose: string;
}

/** What a language model was given and answered. */
export interface ModelTokens {
  /** Empty for the provider's default. */
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface StructuredAnswer<T> {
  readonly value: T;
  /** The model that answered; absent where the provider has but one. */
  readonly model?: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/**
 * A language model for the control plane's own questions, outside of calls. Throws `ServiceError`
 * `language_model_failed` (retryable or not) when it is away, and `language_model_invalid_answer` when the
 * answer does not fit the schema.
 */
export interface StructuredLanguageModel {
  answer<T>(request: StructuredRequest<T>, signal: AbortSignal): Promise<StructuredAnswer<T>>;
}
