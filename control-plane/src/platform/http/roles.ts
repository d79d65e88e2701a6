import { apiError } from './error-codes.js';

/** What a member of a tenant may be: each may do what those before it may, and more. */
export const ROLES = ['viewer', 'operator', 'developer', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/**
 * What each role may do beside what the roles before it may: operations by their `operationId`. API keys are not bound
 * by it. Each operation that takes a tenant's credential stands here once; one that is forgotten is an owner's alone.
 */
const OPERATIONS: Readonly<Record<Role, readonly string[]>> = {
  // Reads.
  viewer: [
    'listAgents',
    'getAgent',
    'getNudgePresets',
    'listProviders',
    'listAgentVersions',
    'getAgentVersion',
    'diffAgentVersions',
    'listAgentTemplates',
    'getAgentTemplate',
    'estimateAgent',
    'listCalls',
    'getCall',
    'getCallDetail',
    'getCallDecisions',
    'listCallDeliveries',
    'getCallRecording',
    'followCall',
    'listOperatorActions',
    'listCampaigns',
    'getCampaign',
    'getCampaignAnalytics',
    'getCampaignInsights',
    'listCampaignExtractedData',
    'exportCampaignExtractedData',
    'listCampaignContacts',
    'listComplianceChecks',
    'getComplianceCheck',
    'listDoNotCall',
    'getDoNotCall',
    'getAnalyticsOverview',
    'getAnalyticsTrends',
    'getUsage',
    'searchPhoneNumbers',
    'listPhoneNumbers',
    'listWebhooks',
    'getWebhook',
    'listWebhookDeliveries',
    'listEvents',
    'getWebhookDelivery',
    'getWebhookConfig',
    'listIntegrations',
    'getIntegrationStatus',
    'getTestSessionResult',
    'listApiKeys',
    'getSettings',
    'listVendorKeys',
    'getVendorKey',
    'listVoices',
    'previewVoice',
    'listMembers',
    'getMember',
  ],
  // Runs the phones: calls, live actions, campaigns, who is not called.
  operator: [
    'createCall',
    'createTestCall',
    'hangUpCall',
    'transferCall',
    'whisper',
    'nudge',
    'pauseCallRecording',
    'resumeCallRecording',
    // A link needs no sign-in; to listen is more than to read.
    'createLiveLink',
    'listenToCall',
    'createCampaign',
    'uploadCampaign',
    'generateCampaignCriteria',
    'updateCampaignCriteria',
    'startCampaign',
    'pauseCampaign',
    'cancelCampaign',
    'rescheduleCampaignContact',
    'checkCompliance',
    'addDoNotCall',
    'importDoNotCall',
    'removeDoNotCall',
    'testAgentByText',
    'testAgentByWebRtc',
    'testAgentByWebSocket',
    'offerTestSession',
  ],
  // Builds: agents, numbers, and what programs use.
  developer: [
    'createAgent',
    'updateAgent',
    'estimateAgentChange',
    'deleteAgent',
    'replaceNudgePresets',
    'cloneAgentTemplate',
    'restoreAgentVersion',
    // Takes any request to any public address.
    'testAgentTool',
    'createApiKey',
    'deleteApiKey',
    'createWebhook',
    'updateWebhook',
    'deleteWebhook',
    'testWebhook',
    'replayWebhookDelivery',
    'listenToWebhooks',
    'setWebhookConfig',
    'deleteWebhookConfig',
    'connectIntegration',
    'connectIntegrationByKey',
    'disconnectIntegration',
    'updateIntegrationConfig',
    'buyPhoneNumber',
    'provisionPhoneNumber',
    'importPhoneNumber',
    'assignAgent',
    'releasePhoneNumber',
    'startVerification',
    'confirmVerification',
    // For good, hence not an operator's.
    'eraseCall',
  ],
  // Answers for the tenant: people, money, what holds for all of it.
  owner: [
    'updateMember',
    'removeMember',
    'createMemberLoginLink',
    'listInvitations',
    'createInvitation',
    'revokeInvitation',
    'updateSettings',
    'setVendorKey',
    'deleteVendorKey',
    'checkVendorKey',
    'setUpBilling',
    'checkout',
    'openBillingPortal',
  ],
};

/** What the table is about; a declared route is one. */
interface Named {
  readonly operationId: string;
}

/** The least role that may do each operation. */
export const LEAST_ROLES: ReadonlyMap<string, Role> = new Map(
  ROLES.flatMap((role) => OPERATIONS[role].map((operation) => [operation, role] as const)),
);

export function leastRoleOf({ operationId }: Named): Role {
  return LEAST_ROLES.get(operationId) ?? 'owner';
}

/** Returns whether the role may do what at least the other one may. */
function isAtLeast(role: Role, least: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(least);
}

/** Returns the roles that may do what at least this one may, the least first. */
export function rolesFrom(least: Role): readonly Role[] {
  return ROLES.slice(ROLES.indexOf(least));
}

/** Throws 403 `role_insufficient` where the role of who is signed in is too low for the route. */
export function requireRole(route: Named, { role }: { readonly role?: Role }): void {
  const least = leastRoleOf(route);
  if (role === undefined || isAtLeast(role, least)) return;
  throw apiError(
    'role_insufficient',
    `This needs the role ${least}${least === 'owner' ? '' : ' or a higher one'}; yours is ${role}. Ask an owner of the account.`,
    { fields: { required_role: least, role } },
  );
}
