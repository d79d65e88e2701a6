import { z } from 'zod';
import { action, type KeyAdapter } from '../adapter.js';

/** Automation services whose connection is a URL that starts one of the tenant's flows. */
function trigger(
  own: Pick<KeyAdapter, 'slug' | 'name' | 'vendor' | 'description' | 'webhookUrl'>,
): KeyAdapter {
  return {
    kind: 'api_key',
    hosts: {},
    configHint: 'Nothing is needed.',
    fields: z.object({
      webhook_url: z
        .url({ protocol: /^https?$/ })
        .max(2048)
        .describe('The URL that starts the flow.'),
    }),
    headers: () => ({}),
    // Every request to the URL starts the flow, so it cannot be asked how it is.
    check: undefined,
    ...own,
    actions: [
      action({
        name: 'trigger',
        description: `Starts a flow of ${own.name}.`,
        parameters: z.object({
          data: z
            .record(z.string().max(200), z.union([z.string().max(10_000), z.number(), z.boolean(), z.null()]))
            .default({})
            .describe('What the flow gets.'),
        }),
        repeatable: false,
        async run(call, { data }) {
          const url = call.credentials.kind === 'api_key' ? (call.credentials.fields.webhook_url ?? '') : '';
          await call.send({ method: 'POST', url, json: { ...data, run_id: call.runId } });
          return { started: true };
        },
      }),
    ],
  };
}

/** https://help.zapier.com/hc/en-us/articles/8496288690317 */
export const zapier = trigger({
  slug: 'zapier',
  name: 'Zapier',
  vendor: 'zapier',
  description: 'Starts a Zap by its webhook.',
  webhookUrl: /^https:\/\/hooks\.zapier\.com\//,
});

/** https://www.make.com/en/help/tools/webhooks */
export const make = trigger({
  slug: 'make',
  name: 'Make',
  vendor: 'make',
  description: 'Starts a scenario by its webhook.',
  webhookUrl: /^https:\/\/hook\.[a-z0-9-]+\.make\.com\//,
});
