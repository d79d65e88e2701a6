/** An error in the form of Twilio's REST API (twilio.com/docs/api/errors). */
export class RestError extends Error {
  readonly status: number;
  readonly code: number;

  constructor(status: number, code: number, message: string) {
    super(message);
    this.name = 'RestError';
    this.status = status;
    this.code = code;
  }

  toJSON(): unknown {
    return {
      code: this.code,
      message: this.message,
      more_info: `https://www.twilio.com/docs/errors/${this.code}`,
      status: this.status,
    };
  }
}

export const unauthorized = () => new RestError(401, 20003, 'Authenticate');
export const notFound = (path: string) =>
  new RestError(404, 20404, `The requested resource ${path} was not found`);
export const methodNotAllowed = () => new RestError(405, 20004, 'Method not allowed');
/** Creates the error for a parameter whose value is not documented. The code was not checked against Twilio. */
export const invalidParameter = (message: string) => new RestError(400, 20001, message);
export const notInProgress = () => new RestError(400, 21220, 'Call is not in-progress. Cannot redirect.');
