/**
 * What each operation is to the two modes. A new operation must be decided here before the tests pass.
 *
 * - `public`: no credential, hence no mode
 * - `shared`: what belongs to the tenant, the same in both modes (agents and what they are made of)
 * - `own`: what belongs to a mode; an id of the other one is a 404, and no list shows it
 * - `live`: a power of production; 403 `live_mode_required` in the sandbox
 */
export type ModeDecision = 'public' | 'shared' | 'own' | 'live';

export const MODE_DECISIONS: Readonly<Record<string, ModeDecision>> = {
  // Agents
  createAgent: 'shared',
  listAgents: 'shared',
  getAgent: 'shared',
  getNudgePresets: 'shared',
  listProviders: 'shared',
  listVoices: 'shared',
  previewVoice: 'shared',
  listAgentVersions: 'shared',
  // What it sends is the same in both modes.
  testAgentTool: 'shared',
  getAgentVersion: 'shared',
  diffAgentVersions: 'shared',
  listAgentTemplates: 'shared',
  getAgentTemplate: 'shared',
  cloneAgentTemplate: 'shared',
  // The agent is shared; `agent.activated` and `agent.deactivated` go to the subscriptions of who switched it.
  updateAgent: 'own',
  deleteAgent: 'own',
  replaceNudgePresets: 'own',
  restoreAgentVersion: 'own',
  // The calls that it is measured by are of a mode.
  estimateAgent: 'own',
  estimateAgentChange: 'own',
  // Settings
  getSettings: 'shared',
  updateSettings: 'live',
  // Members: of the tenant, and only production manages them.
  listMembers: 'shared',
  getMember: 'shared',
  updateMember: 'live',
  removeMember: 'live',
  createMemberLoginLink: 'live',
  listInvitations: 'live',
  createInvitation: 'live',
  revokeInvitation: 'live',
  // Vendor keys: the accounts are production's, also for calls of the sandbox; the sandbox sees which there are.
  listVendorKeys: 'own',
  getVendorKey: 'own',
  setVendorKey: 'live',
  deleteVendorKey: 'live',
  checkVendorKey: 'live',
  // API keys
  listApiKeys: 'own',
  createApiKey: 'own',
  deleteApiKey: 'own',
  // Calls
  createCall: 'own',
  createTestCall: 'own',
  listCalls: 'own',
  getCall: 'own',
  getCallDetail: 'own',
  getCallDecisions: 'own',
  listCallDeliveries: 'own',
  getCallRecording: 'own',
  hangUpCall: 'own',
  eraseCall: 'own',
  transferCall: 'own',
  whisper: 'own',
  nudge: 'own',
  pauseCallRecording: 'own',
  resumeCallRecording: 'own',
  listOperatorActions: 'own',
  createLiveLink: 'own',
  followCall: 'own',
  listenToCall: 'own',
  // Campaigns
  createCampaign: 'own',
  uploadCampaign: 'own',
  listCampaigns: 'own',
  getCampaign: 'own',
  updateCampaignCriteria: 'own',
  startCampaign: 'own',
  pauseCampaign: 'own',
  cancelCampaign: 'own',
  getCampaignAnalytics: 'own',
  getCampaignInsights: 'own',
  listCampaignExtractedData: 'own',
  exportCampaignExtractedData: 'own',
  listCampaignContacts: 'own',
  rescheduleCampaignContact: 'own',
  // Asks the model of an agent, and stores nothing.
  generateCampaignCriteria: 'shared',
  // Compliance, analytics, billing
  checkCompliance: 'own',
  getComplianceCheck: 'own',
  listComplianceChecks: 'own',
  listDoNotCall: 'own',
  addDoNotCall: 'own',
  importDoNotCall: 'own',
  getDoNotCall: 'own',
  removeDoNotCall: 'own',
  getAnalyticsOverview: 'own',
  getAnalyticsTrends: 'own',
  getUsage: 'own',
  setUpBilling: 'live',
  checkout: 'live',
  openBillingPortal: 'live',
  // Phone numbers
  searchPhoneNumbers: 'own',
  listPhoneNumbers: 'own',
  buyPhoneNumber: 'own',
  provisionPhoneNumber: 'own',
  importPhoneNumber: 'own',
  assignAgent: 'own',
  releasePhoneNumber: 'own',
  startVerification: 'own',
  confirmVerification: 'own',
  // Webhooks
  listEventTypes: 'public',
  clerkWebhook: 'public',
  listWebhooks: 'own',
  createWebhook: 'own',
  getWebhook: 'own',
  updateWebhook: 'own',
  deleteWebhook: 'own',
  listWebhookDeliveries: 'own',
  listEvents: 'own',
  getWebhookDelivery: 'own',
  replayWebhookDelivery: 'own',
  testWebhook: 'own',
  getWebhookConfig: 'own',
  setWebhookConfig: 'own',
  deleteWebhookConfig: 'own',
  listenToWebhooks: 'own',
  // Integrations
  integrationCallback: 'public',
  // Whether an integration is connected is the tenant's; whose account, and its settings, production shows alone.
  listIntegrations: 'own',
  connectIntegrationByKey: 'live',
  connectIntegration: 'live',
  disconnectIntegration: 'live',
  getIntegrationStatus: 'live',
  updateIntegrationConfig: 'live',
  // Agent testing
  testAgentByText: 'own',
  testAgentByWebRtc: 'own',
  testAgentByWebSocket: 'own',
  offerTestSession: 'own',
  getTestSessionResult: 'own',
};

/**
 * What keeps the modes apart in each collection that has a `tenant_id` and no `sandbox` of its own. A new one must be
 * decided here, or be given the field.
 *
 * - `tenant`: it belongs to the tenant, whatever the mode
 * - `parent`: it is found by the id of something that belongs to a mode, which is asked for first
 * - `production`: the sandbox has none
 * - `id`: its ids are derived from the mode
 */
export type CollectionDecision = 'tenant' | 'parent' | 'production' | 'id';

export const COLLECTIONS_WITHOUT_MODE: Readonly<Record<string, CollectionDecision>> = {
  agents: 'tenant',
  agent_versions: 'tenant',
  users: 'tenant',
  invitations: 'tenant',
  dashboard_sessions: 'tenant',
  dashboard_login_links: 'tenant',
  billing_ledger: 'production',
  billing_overdrafts: 'production',
  billing_pending_entries: 'production',
  vendor_keys: 'tenant',
  integration_connections: 'production',
  integration_oauth_states: 'production',
  integration_revocations: 'production',
  integration_tool_runs: 'production',
  call_events: 'parent',
  campaign_contacts: 'parent',
  campaign_insights: 'parent',
  llm_proxy_usage: 'parent',
  operator_actions: 'parent',
  transcripts: 'parent',
  transfers: 'parent',
  retention_progress: 'id',
  verifications: 'id',
};
