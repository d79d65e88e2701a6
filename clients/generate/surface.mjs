/**
 * Where each operation of the API is found in the clients, as `resource.method` in camel case; the Python client has
 * the same names in snake case. An operation that is neither here nor in WRITTEN_BY_HAND stops the generator.
 * @type {Readonly<Record<string, string>>}
 */
export const SURFACE = {
  createAgent: 'agents.create',
  listAgents: 'agents.list',
  getAgent: 'agents.get',
  updateAgent: 'agents.update',
  deleteAgent: 'agents.delete',
  listProviders: 'agents.providers',
  getNudgePresets: 'agents.nudgePresets',
  replaceNudgePresets: 'agents.replaceNudgePresets',
  listAgentTemplates: 'agentTemplates.list',
  getAgentTemplate: 'agentTemplates.get',
  cloneAgentTemplate: 'agentTemplates.clone',

  createCall: 'calls.create',
  createTestCall: 'calls.createTest',
  listCalls: 'calls.list',
  getCall: 'calls.get',
  getCallDetail: 'calls.detail',
  hangUpCall: 'calls.hangUp',
  transferCall: 'calls.transfer',
  whisper: 'calls.whisper',
  nudge: 'calls.nudge',
  pauseCallRecording: 'calls.pauseRecording',
  resumeCallRecording: 'calls.resumeRecording',
  listOperatorActions: 'calls.operatorActions',
  createLiveLink: 'calls.createLiveLink',

  createCampaign: 'campaigns.create',
  listCampaigns: 'campaigns.list',
  getCampaign: 'campaigns.get',
  updateCampaignCriteria: 'campaigns.updateCriteria',
  generateCampaignCriteria: 'campaigns.generateCriteria',
  startCampaign: 'campaigns.start',
  pauseCampaign: 'campaigns.pause',
  cancelCampaign: 'campaigns.cancel',
  listCampaignContacts: 'campaigns.contacts',
  rescheduleCampaignContact: 'campaigns.rescheduleContact',
  getCampaignAnalytics: 'campaigns.analytics',
  getCampaignInsights: 'campaigns.insights',
  listCampaignExtractedData: 'campaigns.extractedData',

  checkCompliance: 'compliance.check',
  getComplianceCheck: 'compliance.getCheck',
  listDoNotCall: 'doNotCall.list',
  addDoNotCall: 'doNotCall.add',
  getDoNotCall: 'doNotCall.get',
  removeDoNotCall: 'doNotCall.remove',

  searchPhoneNumbers: 'phoneNumbers.search',
  listPhoneNumbers: 'phoneNumbers.list',
  buyPhoneNumber: 'phoneNumbers.buy',
  importPhoneNumber: 'phoneNumbers.import',
  assignAgent: 'phoneNumbers.assignAgent',
  releasePhoneNumber: 'phoneNumbers.release',
  startVerification: 'verifications.start',
  confirmVerification: 'verifications.confirm',

  listEventTypes: 'webhooks.eventTypes',
  listWebhooks: 'webhooks.list',
  createWebhook: 'webhooks.create',
  getWebhook: 'webhooks.get',
  updateWebhook: 'webhooks.update',
  deleteWebhook: 'webhooks.delete',
  testWebhook: 'webhooks.test',
  listWebhookDeliveries: 'webhooks.deliveries',
  replayWebhookDelivery: 'webhooks.replayDelivery',
  getWebhookConfig: 'webhooks.config',
  setWebhookConfig: 'webhooks.setConfig',
  deleteWebhookConfig: 'webhooks.deleteConfig',

  testAgentByWebSocket: 'testSessions.createWebSocket',
  testAgentByWebRtc: 'testSessions.createWebRtc',
  offerTestSession: 'testSessions.offer',
  getTestSessionResult: 'testSessions.result',

  listIntegrations: 'integrations.list',
  connectIntegration: 'integrations.connect',
  connectIntegrationByKey: 'integrations.connectByKey',
  disconnectIntegration: 'integrations.disconnect',
  getIntegrationStatus: 'integrations.status',
  updateIntegrationConfig: 'integrations.updateConfig',

  getAnalyticsOverview: 'analytics.overview',
  getUsage: 'billing.usage',
  setUpBilling: 'billing.setUp',
  checkout: 'billing.checkout',
  openBillingPortal: 'billing.portal',

  listApiKeys: 'apiKeys.list',
  createApiKey: 'apiKeys.create',
  deleteApiKey: 'apiKeys.delete',
};

/** Operations whose answer or body is not JSON: each client has a method of its own for them. */
export const WRITTEN_BY_HAND = new Set([
  'getCallRecording',
  'followCall',
  'listenToCall',
  'uploadCampaign',
  'importDoNotCall',
  'exportCampaignExtractedData',
  'testAgentByText',
]);

/** Operations that others call: the identity provider, and the browser that comes back from a vendor. */
export const NOT_FOR_CLIENTS = new Set(['clerkWebhook', 'integrationCallback']);
