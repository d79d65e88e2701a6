import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * What a tester's WebSocket shows at a worker: which call it is for, the worker's one-time token for it, and
 * until when it may be used (epoch ms); signed by the control plane with the planes' secret.
 */
export interface StreamTicket {
  readonly callId: string;
  readonly streamToken: string;
  readonly expiresAt: number;
}

function signature(secret: string, payload: string): Buffer {
  return createHmac('sha256', secret).update(`stream-ticket\n${payload}`).digest();
}

/** Signs a ticket as `<payload>.<signature>`, both base64url: fits into a query. */
export function signStreamTicket(secret: string, ticket: StreamTicket): string {
  const payload = Buffer.from(JSON.stringify([ticket.callId, ticket.streamToken, ticket.expiresAt])).toString(
    'base64url',
  );
  return `${payload}.${signature(secret, payload).toString('base64url')}`;
}

/** Reads the ticket, if the planes' secret signed it and it has not expired; undefined otherwise. Constant time. */
export function readStreamTicket(secret: string, text: string, now: number): StreamTicket | undefined {
  const [, payload, given] = /^([\w-]{1,2000})\.([\w-]{43})$/.exec(text) ?? [];
  if (payload === undefined || given === undefined) return undefined;
  if (!timingSafeEqual(Buffer.from(given, 'base64url'), signature(secret, payload))) return undefined;
  const [callId, streamToken, expiresAt] = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
  if (typeof callId !== 'string' || typeof streamToken !== 'string' || typeof expiresAt !== 'number') {
    return undefined;
  }
  return expiresAt >= now ? { callId, streamToken, expiresAt } : undefined;
}
