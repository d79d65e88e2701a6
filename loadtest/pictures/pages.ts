/** Pages that need nothing that they are of, by the name of their pictures. */
export const PAGES: Readonly<Record<string, string>> = {
  start: '/start',
  agents: '/agents',
  'agent-new': '/agents/new',
  live: '/live',
  calls: '/calls',
  campaigns: '/campaigns',
  'campaign-new': '/campaigns/new',
  analytics: '/analytics',
  numbers: '/numbers',
  'do-not-call': '/do-not-call',
  compliance: '/compliance',
  keys: '/keys',
  webhooks: '/webhooks',
  events: '/events',
  billing: '/billing',
  'billing-live': '/billing?mode=live',
  'settings-members': '/settings/members?mode=sandbox',
  'settings-vendor-keys': '/settings/vendor-keys',
  'settings-integrations': '/settings/integrations',
  'settings-retention': '/settings/retention',
  'not-found': '/nowhere',
};

/** What stands in the account that is shown. */
export interface Filled {
  readonly agentId: string;
  readonly callId: string;
  readonly campaignId: string;
  readonly webhookId: string;
}

/** Pages of one thing. */
export const pagesOf = ({ agentId, callId, campaignId, webhookId }: Filled): Record<string, string> => ({
  ...Object.fromEntries(
    ['prompt', 'tools', 'voice', 'turns', 'rules', 'analysis', 'versions'].map((section) => [
      `agent-${section}`,
      `/agents/${agentId}?section=${section}`,
    ]),
  ),
  call: `/calls/${callId}`,
  'calls-found': '/calls?q=dental',
  'campaign-funnel': `/campaigns/${campaignId}`,
  'campaign-contacts': `/campaigns/${campaignId}?tab=contacts`,
  'campaign-results': `/campaigns/${campaignId}?tab=results`,
  webhook: `/webhooks/${webhookId}`,
});

/** What is opened on a page: buttons by their names, one after the other. */
export interface Opened {
  readonly page: string;
  readonly press: readonly (string | RegExp)[];
  /** Whether it is a dialog; else a part of the page. */
  readonly opens?: boolean;
}

/** Dialogs, by the name of their pictures. */
export const dialogsOf = ({ agentId, callId, campaignId, webhookId }: Filled): Record<string, Opened> => ({
  search: { page: '/calls', press: [/^Search ⌘K|^Search$/] },
  template: { page: '/agents/new', press: [/^Use it: /] },
  'voice-gallery': { page: `/agents/${agentId}?section=voice`, press: ['Hear and choose a voice'] },
  restore: { page: `/agents/${agentId}?section=versions`, press: [/^Restore version/] },
  compare: { page: `/agents/${agentId}?section=versions`, press: [/^Compare version/], opens: false },
  'sandbox-call': { page: '/live', press: ['Call a simulated person'] },
  decisions: { page: `/calls/${callId}`, press: ['Show the decisions'], opens: false },
  launch: { page: `/campaigns/${campaignId}`, press: ['Launch'] },
  buy: { page: '/numbers', press: ['Buy a number'] },
  import: { page: '/numbers', press: ['Import'] },
  number: { page: '/numbers', press: [/^\+\d+$/] },
  release: { page: '/numbers', press: [/^\+\d+$/, /^(Release|Remove) the number$/] },
  'add-number': { page: '/do-not-call', press: ['Add number'] },
  'import-numbers': { page: '/do-not-call', press: ['Import CSV'] },
  'remove-number': { page: '/do-not-call', press: [/^Remove \+/] },
  check: { page: '/compliance', press: ['Check a number'] },
  'create-key': { page: '/keys', press: ['Create key'] },
  'delete-key': { page: '/keys', press: [/^Delete /] },
  'create-webhook': { page: '/webhooks', press: ['Create webhook'] },
  'edit-webhook': { page: `/webhooks/${webhookId}`, press: ['Edit'] },
  'test-webhook': { page: `/webhooks/${webhookId}`, press: ['Send a test event'] },
  'verify-webhook': { page: `/webhooks/${webhookId}`, press: ['Verify signatures'] },
  'delete-webhook': { page: `/webhooks/${webhookId}`, press: ['Delete'] },
  invite: { page: '/settings/members', press: ['Invite'] },
  'connect-integration': { page: '/settings/integrations', press: ['Connect Airtable'] },
  'add-vendor-key': { page: '/settings/vendor-keys', press: ['Add key'] },
});
