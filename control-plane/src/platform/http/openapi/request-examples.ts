import { SANDBOX_CALLER_ID } from '@voice/shared/contracts/test-numbers';

const AGENT_ID = '0198f0c4-1a2b-7c3d-8e4f-5a6b7c8d9e0f';
const PERSON = '+15005550006';
const OWN_NUMBER = '+12125550142';
const RECEIVER = 'https://example.com/voice-events';
const EXTRACTION_SCHEMA = {
  type: 'object',
  properties: { preferred_day: { type: 'string', description: 'The day that suits them.' } },
};

/**
 * A body of every operation that takes one, by its `operationId`: as short as it is useful, and sent as it
 * stands (but for ids) it does what the operation says.
 */
export const REQUEST_EXAMPLES: Readonly<Record<string, unknown>> = {
  createAgent: {
    name: 'Front desk',
    system_prompt:
      'You are the front desk of a small hotel.\n\nFacts:\n- Breakfast is from seven to ten.\n\nSteps:\n1. Ask: Which night would you like to stay?',
    first_message: 'Hello {{first_name}}, this is the front desk. How can I help?',
    tools: [{ type: 'end_call' }, { type: 'transfer_call', transfer_type: 'warm' }],
    transfer_destinations: [{ name: 'Reception', phone_number: PERSON }],
  },
  updateAgent: { first_message: 'Good evening, this is the front desk.', recording: { announce: true } },
  replaceNudgePresets: { presets: [{ label: 'Wrap up', text: 'Summarise, and end the call politely.' }] },
  cloneAgentTemplate: { variables: { company: 'Northwind' }, changes: { name: 'Screening, warehouse' } },
  updateSettings: { retention: { recordings_days: 30, transcripts_days: 90, calls_days: null } },
  updateMember: { role: 'operator' },
  createInvitation: { name: 'Ada Byron', email: 'ada@example.com', role: 'operator' },
  createApiKey: { name: 'Staging server', sandbox: true },
  createCall: {
    agent_id: AGENT_ID,
    from_number: SANDBOX_CALLER_ID,
    to_number: PERSON,
    variables: { first_name: 'Ada' },
    metadata: { order: '1042' },
  },
  createTestCall: { agent_id: AGENT_ID, to_number: PERSON },
  transferCall: {
    destination: PERSON,
    transfer_type: 'warm',
    briefing: 'Ada wants to move her booking to Friday.',
  },
  whisper: { text: 'Offer the late check-out.' },
  nudge: { preset_id: '0198f0c4-2b3c-7d4e-8f50-6b7c8d9e0f1a' },
  hangUpCall: { reason: 'The caller asked for it by mail.' },
  createCampaign: {
    name: 'Check-up reminders',
    agent_id: AGENT_ID,
    contacts: [{ phone: PERSON, first_name: 'Ada', contact_data: { last_visit: '2025-11-03' } }],
    outcome_labels: ['booked', 'call_back', 'not_interested'],
    extraction_schema: EXTRACTION_SCHEMA,
    max_concurrent: 5,
    calls_per_minute: 10,
  },
  updateCampaignCriteria: { outcome_labels: ['booked', 'call_back'], extraction_schema: EXTRACTION_SCHEMA },
  generateCampaignCriteria: { goal: 'Book a check-up appointment.' },
  rescheduleCampaignContact: { next_retry_at: '2030-01-15T16:00:00Z' },
  checkCompliance: { to_number: OWN_NUMBER, agent_id: AGENT_ID },
  addDoNotCall: { phone_number: OWN_NUMBER, note: 'Asked by mail not to be called.' },
  setUpBilling: {
    success_url: 'https://example.com/billing/done',
    cancel_url: 'https://example.com/billing',
  },
  checkout: { plan: 'starter' },
  buyPhoneNumber: { phone_number: OWN_NUMBER, provider: 'twilio' },
  importPhoneNumber: { phone_number: OWN_NUMBER },
  assignAgent: { agent_id: AGENT_ID },
  startVerification: { phone_number: OWN_NUMBER, channel: 'sms' },
  confirmVerification: { phone_number: OWN_NUMBER, code: '123456' },
  createWebhook: { url: RECEIVER, event_types: ['call.completed', 'analysis.ready'], sandbox: true },
  updateWebhook: { event_types: ['*'] },
  testWebhook: { event_type: 'call.completed' },
  setWebhookConfig: { url: RECEIVER },
  clerkWebhook: {
    type: 'user.created',
    data: { id: 'user_2x', email_addresses: [{ id: 'idn_1', email_address: 'ada@example.com' }] },
  },
  setVendorKey: { api_key: 'your-key-at-the-vendor' },
  connectIntegrationByKey: { api_key: 'pat-…', base_id: 'app…' },
  updateIntegrationConfig: { config: { channel: '#calls' } },
  testAgentTool: {
    tool: {
      type: 'http',
      name: 'stock',
      url: 'https://shop.example.com/stock',
      method: 'POST',
      parameters: { type: 'object', properties: { item: { type: 'string' } } },
    },
    arguments: { item: 'tea' },
  },
  estimateAgentChange: {
    voice_config: { llm: { provider: 'openai', model: 'gpt-4.1' } },
    turn_taking: { min_endpointing_ms: 300 },
  },
  testAgentByText: { message: 'Hello, do you have a room for Friday?', variables: { first_name: 'Ada' } },
  testAgentByWebRtc: { variables: { first_name: 'Ada' } },
  testAgentByWebSocket: { variables: { first_name: 'Ada' } },
  offerTestSession: { type: 'offer', sdp: 'v=0\r\n…' },
};
