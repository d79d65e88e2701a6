import { newId } from '@voice/shared/ids/ids';

export const REQUEST_ID_HEADER = 'X-Request-Id';

const SANE = /^[A-Za-z0-9._:-]{1,128}$/;

/** Returns the client's own request id when it is harmless in a log, else a new one. */
export function requestIdFrom(header: string | undefined): string {
  return header !== undefined && SANE.test(header) ? header : newId();
}
