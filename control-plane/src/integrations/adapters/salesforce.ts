import { z } from 'zod';
import { VendorFailure } from '../../platform/vendor-http.js';
import { action, type OAuthAdapter, type VendorCall } from '../adapter.js';

const API = '/services/data/v60.0';

/** Each account has an address of its own, which came with its tokens. */
function instance(call: VendorCall, path: string): string {
  if (call.credentials.kind !== 'oauth' || call.credentials.instance_url === null) {
    throw new VendorFailure('unauthorized', "The account's address is not known; connect it again.");
  }
  return call.credentials.instance_url.replace(/\/+$/, '') + path;
}

/** https://help.salesforce.com/s/articleView?id=sf.remoteaccess_oauth_web_server_flow.htm; expiry is not given. */
export const salesforce: OAuthAdapter = {
  kind: 'oauth',
  slug: 'salesforce',
  name: 'Salesforce',
  description: 'Creates leads.',
  vendor: 'salesforce',
  hosts: { login: 'https://login.salesforce.com' },
  configHint: '`lead_source`: what leads have as their source.',
  oauth: {
    authorize: { host: 'login', path: '/services/oauth2/authorize' },
    token: { host: 'login', path: '/services/oauth2/token' },
    scopes: ['api', 'refresh_token', 'openid'],
    scopeSeparator: ' ',
    pkce: true,
  },
  async check(call) {
    const { json } = await call.send({ method: 'GET', url: instance(call, '/services/oauth2/userinfo') });
    const { preferred_username } = z.looseObject({ preferred_username: z.string().nullish() }).parse(json);
    return { account: preferred_username ?? null };
  },
  async revoke(call) {
    const token = call.credentials.refresh_token ?? call.credentials.access_token;
    await call.send({
      method: 'POST',
      url: call.at('login', '/services/oauth2/revoke'),
      form: { token },
      anonymous: true,
    });
  },
  // Salesforce answers tokens that it does not know with the first.
  isUnknownToken: ({ code }) => code === 'unsupported_token_type' || code === 'invalid_token',
  actions: [
    action({
      name: 'create_lead',
      description: 'Creates a lead in Salesforce.',
      parameters: z.object({
        last_name: z.string().min(1).max(80),
        company: z.string().min(1).max(255),
        first_name: z.string().max(40).optional(),
        email: z.email().max(80).optional(),
        phone: z.string().max(40).optional(),
        description: z.string().max(32_000).optional(),
      }),
      repeatable: false,
      async run(call, lead) {
        const source = Object.hasOwn(call.config, 'lead_source') ? call.config.lead_source : undefined;
        const { json } = await call.send({
          method: 'POST',
          url: instance(call, `${API}/sobjects/Lead`),
          json: {
            LastName: lead.last_name,
            Company: lead.company,
            FirstName: lead.first_name,
            Email: lead.email,
            Phone: lead.phone,
            Description: lead.description,
            ...(typeof source === 'string' ? { LeadSource: source } : {}),
          },
        });
        return { lead_id: z.looseObject({ id: z.string() }).parse(json).id };
      },
    }),
  ],
};
