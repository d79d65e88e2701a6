import { randomUUID } from 'node:crypto';

/** A refusal as Plivo writes it: the status, and `{error}`. */
export class PlivoError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }

  toJSON() {
    return { api_id: randomUUID(), error: this.message };
  }
}

export const invalid = (message: string) => new PlivoError(400, message);
export const notFound = () => new PlivoError(404, 'not found');
