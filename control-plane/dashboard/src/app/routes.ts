import { createRootRoute, createRoute, redirect, retainSearchParams } from '@tanstack/react-router';
import { z } from 'zod';
import { editorSearch } from '../pages/agents/search.js';
import { analyticsSearch } from '../pages/analytics/search.js';
import { billingSearch } from '../pages/billing/search.js';
import { callsSearch } from '../pages/calls/search.js';
import { campaignSearch, campaignsSearch } from '../pages/campaigns/search.js';
import { complianceSearch } from '../pages/compliance/search.js';
import { dncSearch } from '../pages/do-not-call/search.js';
import { eventsSearch } from '../pages/events/search.js';
import { liveSearch } from '../pages/live/search.js';
import { numbersSearch } from '../pages/numbers/search.js';
import { announceConnection, isBackFromVendor } from '../pages/settings/integrations/connections.js';
import { webhookSearch } from '../pages/webhooks/search.js';
import { NotFound } from './not-found.js';
import { Root } from './root.js';

const rootSearch = z.object({ mode: z.enum(['sandbox', 'live']).optional().catch(undefined) });

const root = createRootRoute({
  component: Root,
  notFoundComponent: NotFound,
  validateSearch: rootSearch,
  search: { middlewares: [retainSearchParams(['mode'])] },
});

const index = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    if (isBackFromVendor(location.search)) {
      announceConnection();
      throw redirect({ to: '/settings/integrations' });
    }
    throw redirect({ to: '/start' });
  },
});

const start = createRoute({ getParentRoute: () => root, path: '/start' }).lazy(() =>
  import('../pages/start/page.js').then(({ route }) => route),
);

const newAgent = createRoute({ getParentRoute: () => root, path: '/agents/new' }).lazy(() =>
  import('../pages/agents/new.js').then(({ route }) => route),
);

const agents = createRoute({ getParentRoute: () => root, path: '/agents' }).lazy(() =>
  import('../pages/agents/list.js').then(({ route }) => route),
);

const agent = createRoute({
  getParentRoute: () => root,
  path: '/agents/$agentId',
  validateSearch: editorSearch,
}).lazy(() => import('../pages/agents/editor.js').then(({ route }) => route));

const live = createRoute({
  getParentRoute: () => root,
  path: '/live',
  validateSearch: liveSearch,
}).lazy(() => import('../pages/live/page.js').then(({ route }) => route));

const calls = createRoute({
  getParentRoute: () => root,
  path: '/calls',
  validateSearch: callsSearch,
}).lazy(() => import('../pages/calls/list.js').then(({ route }) => route));

const call = createRoute({ getParentRoute: () => root, path: '/calls/$callId' }).lazy(() =>
  import('../pages/calls/detail.js').then(({ route }) => route),
);

const newCampaign = createRoute({ getParentRoute: () => root, path: '/campaigns/new' }).lazy(() =>
  import('../pages/campaigns/new.js').then(({ route }) => route),
);

const campaigns = createRoute({
  getParentRoute: () => root,
  path: '/campaigns',
  validateSearch: campaignsSearch,
}).lazy(() => import('../pages/campaigns/list.js').then(({ route }) => route));

const campaign = createRoute({
  getParentRoute: () => root,
  path: '/campaigns/$campaignId',
  validateSearch: campaignSearch,
}).lazy(() => import('../pages/campaigns/detail.js').then(({ route }) => route));

const analytics = createRoute({
  getParentRoute: () => root,
  path: '/analytics',
  validateSearch: analyticsSearch,
}).lazy(() => import('../pages/analytics/page.js').then(({ route }) => route));

const keys = createRoute({ getParentRoute: () => root, path: '/keys' }).lazy(() =>
  import('../pages/keys/page.js').then(({ route }) => route),
);

const webhooks = createRoute({ getParentRoute: () => root, path: '/webhooks' }).lazy(() =>
  import('../pages/webhooks/list.js').then(({ route }) => route),
);

const webhook = createRoute({
  getParentRoute: () => root,
  path: '/webhooks/$webhookId',
  validateSearch: webhookSearch,
}).lazy(() => import('../pages/webhooks/detail.js').then(({ route }) => route));

const events = createRoute({
  getParentRoute: () => root,
  path: '/events',
  validateSearch: eventsSearch,
}).lazy(() => import('../pages/events/page.js').then(({ route }) => route));

const doNotCall = createRoute({
  getParentRoute: () => root,
  path: '/do-not-call',
  validateSearch: dncSearch,
}).lazy(() => import('../pages/do-not-call/page.js').then(({ route }) => route));

const compliance = createRoute({
  getParentRoute: () => root,
  path: '/compliance',
  validateSearch: complianceSearch,
}).lazy(() => import('../pages/compliance/page.js').then(({ route }) => route));

const numbers = createRoute({
  getParentRoute: () => root,
  path: '/numbers',
  validateSearch: numbersSearch,
}).lazy(() => import('../pages/numbers/page.js').then(({ route }) => route));

const billing = createRoute({
  getParentRoute: () => root,
  path: '/billing',
  validateSearch: billingSearch,
}).lazy(() => import('../pages/billing/page.js').then(({ route }) => route));

const settings = createRoute({ getParentRoute: () => root, path: '/settings' }).lazy(() =>
  import('../pages/settings/page.js').then(({ route }) => route),
);

const settingsIndex = createRoute({
  getParentRoute: () => settings,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/settings/members' });
  },
});

const members = createRoute({ getParentRoute: () => settings, path: '/members' }).lazy(() =>
  import('../pages/settings/members/section.js').then(({ route }) => route),
);

const integrations = createRoute({ getParentRoute: () => settings, path: '/integrations' }).lazy(() =>
  import('../pages/settings/integrations/section.js').then(({ route }) => route),
);

const retention = createRoute({ getParentRoute: () => settings, path: '/retention' }).lazy(() =>
  import('../pages/settings/retention/section.js').then(({ route }) => route),
);

const vendorKeys = createRoute({ getParentRoute: () => settings, path: '/vendor-keys' }).lazy(() =>
  import('../pages/settings/vendor-keys/section.js').then(({ route }) => route),
);

/** Every page, each in a file of its own that is loaded when it is opened. */
export const routeTree = root.addChildren([
  index,
  start,
  agents,
  newAgent,
  agent,
  live,
  calls,
  call,
  campaigns,
  newCampaign,
  campaign,
  analytics,
  keys,
  webhooks,
  webhook,
  events,
  doNotCall,
  compliance,
  numbers,
  billing,
  settings.addChildren([settingsIndex, members, vendorKeys, integrations, retention]),
]);
