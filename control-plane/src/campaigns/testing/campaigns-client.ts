import type { TestAnswer, TestControlPlane } from '../../testing/control-plane.js';
import type { CampaignCreateResponse, CampaignResponse, ContactResponse } from '../schemas.js';

export const TALKS = '+15005550006';

/** A tenant who works with campaigns. */
export class CampaignsClient {
  private constructor(
    readonly plane: TestControlPlane,
    readonly key: string,
    readonly tenantId: string,
    readonly agentId: string,
  ) {}

  static async create(
    plane: TestControlPlane,
    options: { sandbox?: boolean } = {},
  ): Promise<CampaignsClient> {
    const { key, tenantId } = await plane.newKey(options);
    const agent = await plane.request('POST', '/api/v1/agents', {
      key,
      body: { name: 'Caller', system_prompt: 'You call {{first_name}} of {{company}}.' },
    });
    return new CampaignsClient(plane, key, tenantId, (agent.json as { id: string }).id);
  }

  request(method: string, path: string, body?: unknown): Promise<TestAnswer> {
    return this.plane.request(method, `/api/v1/campaigns${path}`, { key: this.key, body });
  }

  async create(body: Record<string, unknown> = {}): Promise<CampaignCreateResponse> {
    const answer = await this.request('POST', '', {
      name: 'Spring',
      agent_id: this.agentId,
      contacts: [{ phone: TALKS }],
      ...body,
    });
    if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
    return answer.json as CampaignCreateResponse;
  }

  async get(id: string): Promise<CampaignResponse> {
    return (await this.request('GET', `/${id}`)).json as CampaignResponse;
  }

  move(id: string, transition: 'start' | 'pause' | 'cancel'): Promise<TestAnswer> {
    return this.request('POST', `/${id}/${transition}`);
  }

  async contacts(id: string, query = ''): Promise<ContactResponse[]> {
    const answer = await this.request('GET', `/${id}/contacts${query}`);
    return (answer.json as { contacts: ContactResponse[] }).contacts;
  }

  /** Uploads a file; its text may be bytes of any encoding. */
  async upload(
    file: string | Buffer,
    query: Record<string, string> = {},
    headers: Record<string, string> = {},
  ): Promise<TestAnswer> {
    const form = new FormData();
    const bytes = typeof file === 'string' ? Buffer.from(file) : file;
    form.append('file', new Blob([new Uint8Array(bytes)], { type: 'text/csv' }), 'contacts.csv');
    const search = new URLSearchParams({ agent_id: this.agentId, campaign_name: 'Spring', ...query });
    const response = await fetch(`${this.plane.url}/api/v1/campaigns/upload?${search}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.key}`, ...headers },
      body: form,
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
  }
}
