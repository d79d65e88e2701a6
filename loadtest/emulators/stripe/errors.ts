/** A refusal in Stripe's form (https://docs.stripe.com/api/errors). */
export class StripeRefusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly detail: { readonly type?: string; readonly code?: string; readonly param?: string } = {},
  ) {
    super(message);
  }

  get body(): object {
    return { error: { type: 'invalid_request_error', ...this.detail, message: this.message } };
  }
}

export const missing = (param: string): StripeRefusal =>
  new StripeRefusal(400, `Missing required param: ${param}.`, { code: 'parameter_missing', param });

export const unknown = (param: string): StripeRefusal =>
  new StripeRefusal(400, `Received unknown parameter: ${param}`, { code: 'parameter_unknown', param });

export const invalid = (param: string, message: string): StripeRefusal =>
  new StripeRefusal(400, message, { code: 'parameter_invalid', param });

/** Creates the refusal of an unknown id: 404 for one in the path, 400 for one in the body. */
export const noSuch = (kind: string, id: string, param: string, status = 400): StripeRefusal =>
  new StripeRefusal(status, `No such ${kind}: '${id}'`, { code: 'resource_missing', param });
