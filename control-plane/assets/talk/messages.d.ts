export interface Problem {
  readonly title: string;
  readonly text: string;
  /** Whether trying again can help. */
  readonly retry: boolean;
}

export type Refusal =
  | { readonly kind: 'signed_out'; readonly expired: boolean }
  | { readonly kind: 'wait'; readonly seconds: number; readonly title: string; readonly text: string }
  | { readonly kind: 'problem'; readonly problem: Problem };

export const CONNECTION_LOST: Problem;
export function endText(ended: { readonly reason: string; readonly durationMs: number }): string;
export function environmentProblem(browser: {
  readonly isSecureContext: boolean;
  readonly hasMediaDevices: boolean;
  readonly hasPeerConnection: boolean;
}): Problem | null;
export function microphoneProblem(name: string): Problem;
export function refusal(answer: {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly retryAfter: string | null;
}): Refusal;
