import { HANDOFF_PATH, handoffReply, handoffRequest } from '@voice/shared/contracts/handoff';
import { type Route, reply, route } from '../../platform/http/route.js';
import type { Handoffs } from './handoffs.js';

/** Declares the route by which a worker asks for the agent that a live call is handed to. */
export function handoffRoutes(handoffs: Pick<Handoffs, 'grant'>): Route[] {
  return [
    route({
      method: 'post',
      path: HANDOFF_PATH,
      operationId: 'grantHandoff',
      tag: 'Internal',
      summary: 'The agent that a live call is handed to, once for each tool call',
      auth: 'inter_plane',
      repeatsHarmlessly: true,
      body: handoffRequest,
      responses: { 200: { description: 'The agent, or why not.', schema: handoffReply } },
      errors: ['call_not_found'],
      handler: async ({ body }) => reply(200, await handoffs.grant(body)),
    }),
  ];
}
