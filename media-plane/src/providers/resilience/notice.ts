import type { ProviderKind } from '../provider-error.js';

/** What a call's timeline should know about its providers. */
export type ResilienceNotice =
  /** A stage took longer than it should; it goes on. Published as it happens. */
  | {
      readonly code: 'budget_passed';
      readonly kind: ProviderKind;
      readonly provider: string;
      readonly stage: 'first_token' | 'first_audio';
      readonly budgetMs: number;
    }
  /** Nothing had come yet, so the same provider is asked once more. */
  | {
      readonly code: 'provider_retried';
      readonly kind: ProviderKind;
      readonly provider: string;
      /** Code of the error. */
      readonly cause: string;
    }
  | {
      readonly code: 'provider_replaced';
      readonly kind: ProviderKind;
      readonly provider: string;
      readonly replacement: string;
      readonly cause: string;
    }
  /** The caller said something that no recogniser has heard or will hear. */
  | {
      readonly code: 'speech_lost';
      readonly kind: 'stt';
      readonly provider: string;
      readonly lostMs: number;
    }
  /** The caller seems to speak, and two recognisers in a row said nothing to it: a noise, or a language unknown. */
  | { readonly code: 'speech_not_understood'; readonly kind: 'stt'; readonly provider: string };

/** Must not throw. */
export type OnNotice = (notice: ResilienceNotice) => void;

/** Describes a notice in one sentence for people. */
export function describeNotice(notice: ResilienceNotice): string {
  switch (notice.code) {
    case 'budget_passed':
      return `${notice.provider} took more than ${notice.budgetMs} ms to its ${notice.stage.replace('_', ' ')}`;
    case 'provider_retried':
      return `${notice.provider} failed before it said anything (${notice.cause}) and was asked again`;
    case 'provider_replaced':
      return `${notice.provider} failed (${notice.cause}); ${notice.replacement} took over`;
    case 'speech_lost':
      return `${(notice.lostMs / 1000).toFixed(1)} s of the caller's speech were lost: no recogniser could be reached`;
    case 'speech_not_understood':
      return `${notice.provider} says nothing to what sounds like speech, nor did the one before it`;
  }
}
