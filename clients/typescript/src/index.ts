export { type Csv, type TextEvent, Voice } from './client.js';
export * from './errors.js';
export type * from './generated/types.js';
export type { FollowOptions, ListenedAudio, ListenOptions } from './live.js';
export type { LiveEvent } from './live-events.js';
export type { Pages } from './pages.js';
export type { SessionEvent, TalkOptions, TestSession } from './test-session.js';
export type { ClientOptions, RequestOptions } from './transport.js';
export { type SignedDelivery, verifyWebhook } from './webhooks.js';
