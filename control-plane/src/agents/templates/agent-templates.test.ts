import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { decide } from '../../compliance/decide.js';
import { startTestControlPlane, type TestControlPlane } from '../../testing/control-plane.js';
import { startTestStore, type TestStore } from '../../testing/store.js';
import { callingHours } from '../calling-hours.js';
import type { AgentResponse } from '../schemas.js';
import { agentSettings } from '../schemas.js';
import { AGENT_TEMPLATES } from './catalog.js';
import type { AgentTemplateCloneResponse } from './schemas.js';

const PATH = '/api/v1/agent-templates';
const named = AGENT_TEMPLATES.map((template) => [template.slug, template] as const);

describe('the library of 17 templates', () => {
  // @rule 2.12
  it('holds one for each of the promised uses', () => {
    expect(AGENT_TEMPLATES.map(({ slug }) => slug)).toEqual([
      'hr-screening',
      'interview-scheduling',
      'sales-qualification',
      'demo-booking',
      'renewal',
      'real-estate-lead',
      'healthcare-appointment',
      'prescription-reminder',
      'insurance-claim-intake',
      'insurance-quote',
      'collections',
      'payment-reminder',
      'customer-support',
      'order-status',
      'restaurant-reservation',
      'survey',
      'event-confirmation',
    ]);
  });

  it('has distinct prompts, first messages, scorecards, extraction and outcomes', () => {
    const agents = AGENT_TEMPLATES.map(({ agent }) => agentSettings.parse(agent));
    const distinct = (values: unknown[]) =>
      expect(new Set(values.map((value) => JSON.stringify(value))).size).toBe(AGENT_TEMPLATES.length);
    distinct(agents.map((agent) => agent.system_prompt));
    distinct(agents.map((agent) => agent.first_message));
    distinct(agents.map((agent) => agent.tools));
    distinct(agents.map((agent) => agent.analysis.scorecard));
    distinct(agents.map((agent) => agent.analysis.extraction_schema));
    distinct(AGENT_TEMPLATES.map(({ outcomeLabels }) => outcomeLabels));
    distinct(AGENT_TEMPLATES.map(({ description }) => description));
  });
});

describe.each(named)('the template %s', (_, template) => {
  const agent = agentSettings.parse(template.agent);

  it('is usable: steps and rules to follow, a way to end the call, outcomes, scores and data to extract', () => {
    for (const part of ['Facts:', 'Steps:', 'Rules:']) expect(agent.system_prompt).toContain(part);
    expect(agent.system_prompt.match(/^\d+\. Ask: /gm)!.length).toBeGreaterThanOrEqual(4);
    expect(agent.tools.map(({ type }) => type)).toContain('end_call');
    for (const tool of agent.tools) expect(tool.description).not.toBe('');
    expect(agent.analysis.scorecard.length).toBeGreaterThanOrEqual(2);
    const schema = agent.analysis.extraction_schema as { properties: object; required: string[] };
    expect(Object.keys(schema.properties).length).toBeGreaterThanOrEqual(5);
    expect(schema.required).toEqual(Object.keys(schema.properties));
    expect(template.outcomeLabels.length).toBeGreaterThanOrEqual(3);
    expect(agent.nudge_presets.length).toBeGreaterThanOrEqual(1);
  });

  it('names every variable of its texts, and no other', () => {
    const used = new Set(
      [...JSON.stringify(template.agent).matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name),
    );
    expect(template.variables.map(({ name }) => name).sort()).toEqual([...used].sort());
  });

  it('discloses the AI, as the compliance gate asks', () => {
    const { checks } = decide({
      now: 0,
      callee: { isTest: true, state: null, zones: [] },
      caller: null,
      listedBy: [],
      callingHours: callingHours.parse({}),
      agent: {
        id: template.slug,
        disclosure: agent.disclosure.text,
        language: agent.language,
        callingHours: agent.calling_hours,
        recording: agent.recording,
      },
      liveCalls: 0,
      maxConcurrentCalls: 1,
    });
    expect(checks.disclosure.outcome).toBe('passed');
  });
});

describe('over the API', () => {
  let store: TestStore;
  let plane: TestControlPlane;
  let key: string;

  beforeAll(async () => {
    store = await startTestStore();
    plane = await startTestControlPlane(store.uri);
  });
  beforeEach(async () => {
    ({ key } = await plane.newKey());
  });
  afterAll(async () => {
    await plane?.close();
    await store?.close();
  });

  const clone = (slug: string, body?: unknown, headers?: Record<string, string>) =>
    plane.request('POST', `${PATH}/${slug}/clone`, { key, body, ...(headers ? { headers } : {}) });

  it('GET /agent-templates lists all of them', async () => {
    const answer = await plane.request('GET', PATH, { key });
    expect(answer.status).toBe(200);
    const { templates, total } = answer.json as { templates: { slug: string }[]; total: number };
    expect(total).toBe(17);
    const one = await plane.request('GET', `${PATH}/survey`, { key });
    expect(one.json).toEqual(templates.find(({ slug }) => slug === 'survey'));
    expect((await plane.request('GET', PATH)).status).toBe(401);
  });

  // @rule 2.12
  it('each is cloned by one call without a body into an agent like any other', async () => {
    for (const { slug, agent } of AGENT_TEMPLATES) {
      const answer = await clone(slug);
      expect(answer.status, answer.text).toBe(201);
      const { integration_tools, ...made } = answer.json as AgentTemplateCloneResponse;
      expect(integration_tools.every(({ integration, hint }) => integration === null && hint)).toBe(true);
      expect(made).toMatchObject({
        name: agent.name,
        system_prompt: agent.system_prompt,
        is_active: true,
        metadata: { template: slug },
      });
      expect(made.nudge_presets.every(({ id }) => id !== undefined)).toBe(true);
      expect((await plane.request('GET', `/api/v1/agents/${made.id}`, { key })).json).toEqual(made);
    }
  });

  it("writes the tenant's variables into the texts and leaves those of the calls", async () => {
    const made = (await clone('survey', { variables: { company: 'Acme' } })).json as AgentResponse;
    expect(made.first_message).toContain('for Acme');
    expect(made.first_message).toContain('{{first_name}}');
    expect(made.system_prompt).not.toContain('{{company}}');
  });

  it('takes changes of any field, and keeps the rest', async () => {
    const destination = { name: 'Front desk', phone_number: '+12125550100' };
    const made = (
      await clone('restaurant-reservation', {
        changes: {
          name: 'Luna',
          transfer_destinations: [destination],
          voicemail: { detect: false },
          metadata: { site: 'luna' },
        },
      })
    ).json as AgentResponse;
    expect(made).toMatchObject({
      name: 'Luna',
      transfer_destinations: [destination],
      voicemail: { detect: false, action: 'hangup' },
      metadata: { template: 'restaurant-reservation', site: 'luna' },
      max_duration_seconds: 420,
    });
  });

  it.each([
    [{ changes: { max_duration_seconds: 1 } }, 422],
    [{ variables: { company: 7 } }, 422],
    [{ changes: { turn_taking: { vad_off: 0.9, vad_on: 0.5 } } }, 422],
  ])('refuses %j', async (body, status) => {
    expect((await clone('survey', body)).status).toBe(status);
  });

  it('finds no template that does not exist', async () => {
    expect((await clone('bank-robbery')).json).toMatchObject({ code: 'agent_template_not_found' });
    expect((await plane.request('GET', `${PATH}/bank-robbery`, { key })).status).toBe(404);
  });

  it('with an Idempotency-Key makes one agent', async () => {
    const once = { 'idempotency-key': 'once' };
    const [first, second] = [await clone('survey', {}, once), await clone('survey', {}, once)];
    expect(second.text).toBe(first.text);
  });
});
