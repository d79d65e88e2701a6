import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type IntegrationsEmulator,
  startIntegrationsEmulator,
} from '../../../../loadtest/emulators/integrations/server.js';
import { type OpenAiEmulator, startOpenAiEmulator } from '../../../../loadtest/emulators/openai/server.js';
import { unknownAction } from '../../integrations/agent-tools.js';
import { adapters } from '../../integrations/catalog.js';
import { connectByOAuth } from '../../integrations/testing.js';
import { startTestControlPlane, type TestControlPlane } from '../../testing/control-plane.js';
import { startTestStore, type TestStore } from '../../testing/store.js';
import { agentSettings, coherentSettings } from '../schemas.js';
import { AGENT_TEMPLATES, agentTemplate } from './catalog.js';
import { agentFrom } from './clone.js';
import { type ConnectedIntegration, equipment, equipped } from './equip.js';
import type { AgentTemplateCloneResponse } from './schemas.js';

const connection = (slug: string, config: object = {}): ConnectedIntegration => ({
  slug,
  available: true,
  connected: true,
  config: { ...config },
});
const template = (slug: string) => agentTemplate(slug)!;
const capable = AGENT_TEMPLATES.filter(({ capabilities = [] }) => capabilities.length > 0);
const everything = { event_type_id: 1, spreadsheet_id: 's', database_id: 'd', channel: '#c' };

describe("what a tenant's connections give to a template", () => {
  it('is nothing without any, and the agent is the same', () => {
    for (const each of capable) {
      const equip = equipment(each, []);
      expect(
        equip.capabilities.every(({ integration, tools }) => integration === null && tools.length === 0),
      ).toBe(true);
      expect(equipped(each, equip)).toBe(each);
    }
  });

  // @rule 2.12
  it('is tools that there are, whichever integration is connected', () => {
    for (const each of capable) {
      for (const { slug } of adapters) {
        const made = agentFrom(equipped(each, equipment(each, [connection(slug, everything)])), {
          variables: {},
          changes: {},
        });
        expect(
          coherentSettings(unknownAction).safeParse(made).error,
          `${each.slug} with ${slug}`,
        ).toBeUndefined();
        expect(made.tools.length).toBeGreaterThanOrEqual(each.agent.tools!.length);
      }
    }
  });

  it('is all at once, with everything connected, by distinct tools that the prompt names', () => {
    const all = adapters.map(({ slug }) => connection(slug, everything));
    for (const each of capable) {
      const equip = equipment(each, all);
      const { system_prompt, tools } = agentSettings.parse(equipped(each, equip).agent);
      expect(equip.capabilities.map(({ integration }) => integration)).not.toContain(null);
      for (const { tools: names } of equip.capabilities) {
        for (const name of names) {
          expect(tools.filter((tool) => tool.name === name)).toHaveLength(1);
          expect(system_prompt).toContain(name);
        }
      }
    }
  });

  it('is by the preferred integration of those that are ready', () => {
    const of = (connections: readonly ConnectedIntegration[]) =>
      equipment(template('demo-booking'), connections).capabilities[0]!.integration;
    const calCom = connection('cal-com', { event_type_id: 7 });
    expect(of([calCom, connection('google-calendar')])).toBe('google-calendar');
    expect(of([calCom, { ...connection('google-calendar'), connected: false }])).toBe('cal-com');
  });

  it('is listed as what to connect or set, where something lacks', () => {
    const hint = (connections: readonly ConnectedIntegration[]) =>
      equipment(template('order-status'), connections).capabilities[0]!.hint;
    const known = ['slack', 'make'].map((slug) => ({ ...connection(slug), connected: false }));
    expect(hint(known)).toBe('Connect slack or make, then clone again.');
    expect(hint([connection('slack')])).toBe('Set channel in the config of slack, then clone again.');
    expect(hint([])).toBe('This installation can connect none of slack, zapier, make.');
  });
});

describe('a clone', () => {
  let store: TestStore;
  let vendors: IntegrationsEmulator;
  let openai: OpenAiEmulator;
  let plane: TestControlPlane;
  let key: string;

  beforeAll(async () => {
    store = await startTestStore();
    vendors = await startIntegrationsEmulator();
    const window = { from: '2030-01-07T09:00:00Z', to: '2030-01-07T10:00:00Z' };
    const event = { summary: 'Demo', start: window.from, end: '2030-01-07T09:30:00Z' };
    openai = await startOpenAiEmulator({
      apiKeys: ['good'],
      script: [
        { whenUserSays: /Monday/, say: '', toolCalls: [{ name: 'find_free_times', arguments: window }] },
        { afterTool: 'find_free_times', say: 'Nine or half past nine?' },
        { whenUserSays: /Nine/, say: '', toolCalls: [{ name: 'book_time', arguments: event }] },
        { afterTool: 'book_time', say: 'It is booked.' },
      ],
    });
    plane = await startTestControlPlane(store.uri, {
      env: {
        ...vendors.env,
        OPENAI_API_KEY: 'good',
        OPENAI_BASE_URL: openai.baseUrl,
        EGRESS_ALLOW: '127.0.0.0/8',
      },
    });
  });
  afterAll(async () => {
    await plane?.close();
    await openai?.close();
    await vendors?.close();
    await store?.close();
  });
  beforeEach(async () => {
    ({ key } = await plane.newKey({ sandbox: false }));
  });

  const clone = async (slug: string, body?: object) => {
    const answer = await plane.request('POST', `/api/v1/agent-templates/${slug}/clone`, { key, body });
    expect(answer.status, answer.text).toBe(201);
    return answer.json as AgentTemplateCloneResponse;
  };

  // @rule 2.12
  it('books by the calendar that the tenant has connected', async () => {
    await connectByOAuth(plane, key, 'google-calendar');
    const voices = { stt: { provider: 'local' }, llm: { provider: 'openai' }, tts: { provider: 'local' } };
    const agent = await clone('demo-booking', { changes: { voice_config: voices } });
    expect(agent.integration_tools).toMatchObject([
      { integration: 'google-calendar', tools: ['find_free_times', 'book_time'], hint: null },
      { integration: null, tools: [], hint: expect.stringMatching(/^Connect hubspot or salesforce/) },
    ]);
    const say = (message: string, session_id?: string) =>
      plane.request('POST', `/api/v1/agents/${agent.id}/test/text`, { key, body: { message, session_id } });
    const first = await say('Monday, please.');
    expect(first.text).toContain('2030-01-07T09:30:00.000Z');
    const second = await say('Nine is fine.', first.headers.get('x-session-id') ?? '');
    expect(second.text).toContain('It is booked.');
    expect(vendors.done.filter(({ what }) => what === 'google event')).toHaveLength(1);
  });

  it('takes what the tenant says about tools and prompt instead', async () => {
    await connectByOAuth(plane, key, 'google-calendar');
    const own = await clone('demo-booking', { changes: { tools: [{ type: 'end_call' }] } });
    expect([own.tools.length, own.integration_tools]).toEqual([1, []]);
    const prompted = await clone('demo-booking', { changes: { system_prompt: 'You book.' } });
    expect(prompted.system_prompt).toBe('You book.');
    expect(prompted.tools.map(({ name }) => name)).toContain('book_time');
  });

  it('is listed beforehand by the template', async () => {
    const answer = await plane.request('GET', '/api/v1/agent-templates/restaurant-reservation', { key });
    expect(answer.json).toMatchObject({
      integration_tools: [{ integrations: ['google-calendar', 'google-sheets', 'notion'] }],
    });
  });
});
