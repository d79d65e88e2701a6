/** An error in the form of Telnyx's API v2: `{errors: [{code, title, detail}]}`. */
export class TelnyxError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly title: string,
    detail = title,
  ) {
    super(detail);
  }

  toJSON(): unknown {
    return { errors: [{ code: this.code, title: this.title, detail: this.message }] };
  }
}

export const unauthorized = () => new TelnyxError(401, '10009', 'Authentication failed');
export const notFound = () => new TelnyxError(404, '10005', 'Resource not found');
export const callEnded = () =>
  new TelnyxError(422, '90018', 'Call has already ended', 'This call is no longer active');
/** Creates the refusal of a call that was not answered. Its code was not checked against Telnyx. */
export const notAnswered = () =>
  new TelnyxError(422, '90034', 'Call not answered yet', 'This command needs an answered call');
export const invalid = (detail: string) => new TelnyxError(422, '10015', 'Invalid parameter', detail);
