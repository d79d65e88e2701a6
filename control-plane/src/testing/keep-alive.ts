/**
 * How long an idle connection is kept, in ms: longer than any client keeps it. One that is closed at the moment at which
 * a stalled client uses it again fails the request.
 */
export const KEEP_ALIVE_MS = 75_000;
