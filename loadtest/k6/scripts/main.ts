/** What k6 runs: the plan says which of these functions, how often and by how many. */
export { campaign } from './campaigns.ts';
export { media } from './media.ts';
export { rest } from './rest.ts';
export { session } from './sessions.ts';
export { webhook } from './webhooks.ts';

/** Scenarios and thresholds, as the command has planned them. */
export const options = JSON.parse(open(__ENV.LOAD_PLAN ?? ''));
