import { ServiceError } from '@voice/shared/errors/service-error';
import { z } from 'zod';

/** What every error of the control plane says of itself. */
const errorBody = z.object({ code: z.string() });

/** Codes of requests that the control plane will never take, whenever they are sent. */
const FOR_GOOD: ReadonlySet<string> = new Set(['malformed_json', 'payload_too_large', 'validation_error']);

/** An answer that is no 2xx: of the control plane, or of something before it. */
export class ControlPlaneRefusal extends ServiceError {
  /** The code of the control plane's own error; undefined where something else has answered. */
  readonly givenCode: string | undefined;
  /** The control plane itself refuses the request, whenever it is sent. */
  readonly isForGood: boolean;

  /** @param text the answer's body */
  constructor(status: number, text: string) {
    const code = codeOf(text);
    super({
      code: 'control_plane_refused',
      status,
      ...meaningOf(status, code),
      cause: text.slice(0, 500),
    });
    this.givenCode = code;
    this.isForGood = !this.retryable && code !== undefined && FOR_GOOD.has(code);
  }
}

/** Returns the code of the control plane's error; nothing where something else has answered. */
function codeOf(text: string): string | undefined {
  try {
    return errorBody.safeParse(JSON.parse(text)).data?.code;
  } catch {
    return undefined;
  }
}

/**
 * Returns whether a refusal may end by itself or by the operator's hand, so that what waits must be kept; and what to
 * do.
 */
function meaningOf(
  status: number,
  code: string | undefined,
): { readonly message: string; readonly retryable: boolean } {
  const answered = `The control plane answered ${status}.`;
  if (status === 401) {
    return { message: `${answered} Check INTERNAL_SECRET and the clocks of both planes.`, retryable: true };
  }
  // No such route, other than no such call.
  if (status === 404 && code === 'not_found') {
    return { message: `${answered} CONTROL_PLANE_URL must lead to its INTERNAL_PORT.`, retryable: true };
  }
  return { message: answered, retryable: status >= 500 || status === 429 || status === 408 };
}
