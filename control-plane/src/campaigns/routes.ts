import { uuid } from '@voice/shared/contracts/primitives';
import { z } from 'zod';
import { queryCursor, queryInt, queryOffset } from '../platform/http/query.js';
import { type Route, reply, route } from '../platform/http/route.js';
import { queryIncludeTotal } from '../platform/http/totals.js';
import type { Transition } from './campaign-state.js';
import type { ContactsService } from './contacts/service.js';
import { contactsFile, receiveContacts } from './contacts/upload.js';
import type { CriteriaGenerator } from './results/criteria.js';
import { generateCriteriaRequest, generateCriteriaResponse } from './results/schemas.js';
import {
  campaignCreate,
  campaignCreateResponse,
  campaignCriteriaUpdate,
  campaignListResponse,
  campaignResponse,
  campaignTransitionResponse,
  contactListResponse,
  contactRescheduleRequest,
  contactResponse,
  csvUploadResponse,
} from './schemas.js';
import type { CampaignsService } from './service.js';
import { campaignName, campaignSettings } from './settings.js';
import type { CampaignTransitions } from './transitions.js';

const tag = 'Campaigns';
const params = z.object({ campaign_id: uuid });
/** 10,000 contacts with custom fields as JSON. */
const CREATE_LIMIT_BYTES = 16 * 1024 * 1024;
/** Of 10,000 contacts: four fields of their own, and thirty of the tenant's. */
const CREATE_MOST_VALUES = 350_000;
const statusFilter = z.string().min(1).max(32).optional();

export interface CampaignRouteOptions {
  readonly campaigns: CampaignsService;
  readonly transitions: CampaignTransitions;
  readonly contacts: ContactsService;
  readonly criteria: CriteriaGenerator;
}

export function campaignRoutes({
  campaigns,
  transitions,
  contacts,
  criteria,
}: CampaignRouteOptions): Route[] {
  const transition = (name: Transition, summary: string, description: string) =>
    route({
      method: 'post',
      path: `/api/v1/campaigns/{campaign_id}/${name}`,
      operationId: `${name}Campaign`,
      tag,
      summary,
      description,
      auth: 'tenant_in_mode',
      params,
      responses: { 200: { description: 'The state before and after.', schema: campaignTransitionResponse } },
      errors: [
        'campaign_not_found',
        'campaign_state_conflict',
        ...(name === 'start' ? (['agent_inactive', 'agent_not_found', 'provider_unavailable'] as const) : []),
      ],
      handler: async ({ scope, params }) =>
        reply(200, await transitions.move(scope, params.campaign_id, name)),
    });

  return [
    route({
      method: 'post',
      path: '/api/v1/campaigns',
      operationId: 'createCampaign',
      tag,
      summary: 'Create a campaign',
      description:
        'A draft, together with its contacts. A number that occurs again is listed and left out; only the few ' +
        'test numbers of the sandbox may repeat.',
      auth: 'tenant_in_mode',
      bodyLimitBytes: CREATE_LIMIT_BYTES,
      bodyMostValues: CREATE_MOST_VALUES,
      body: campaignCreate,
      responses: { 201: { description: 'The draft.', schema: campaignCreateResponse } },
      errors: ['agent_not_found', 'caller_id_not_found', 'conflict'],
      handler: async ({ scope, resourceId, body }) =>
        reply(201, await campaigns.create(scope, resourceId, body)),
    }),
    route({
      method: 'post',
      path: '/api/v1/campaigns/upload',
      operationId: 'uploadCampaign',
      tag,
      summary: 'Create a campaign from a CSV file',
      description:
        'A draft with up to 10,000 contacts. Rows that cannot be used are left out and listed by their line.',
      auth: 'tenant_in_mode',
      query: z.object({
        agent_id: uuid,
        campaign_name: campaignName,
        caller_id: uuid.optional(),
        max_concurrent: queryInt({ min: 1, max: 1000, default: 5 }),
        calls_per_minute: queryInt({ min: 1, max: 6000, default: 10 }),
      }),
      bodyType: 'stream',
      body: contactsFile,
      receive: receiveContacts,
      responses: { 201: { description: 'The draft, and what was left out.', schema: csvUploadResponse } },
      errors: ['agent_not_found', 'caller_id_not_found', 'csv_invalid', 'too_many_contacts', 'conflict'],
      handler: async ({ scope, resourceId, query: { campaign_name: name, ...settings }, body }) =>
        reply(
          201,
          await campaigns.upload(scope, resourceId, campaignSettings.parse({ ...settings, name }), body),
        ),
    }),
    route({
      method: 'post',
      path: '/api/v1/campaigns/generate-criteria',
      operationId: 'generateCampaignCriteria',
      tag,
      summary: 'Propose outcome labels and an extraction schema for a goal',
      description:
        "Asks the model of the tenant's most recently updated active agent, for at most 30 seconds; generic defaults when it fails.",
      auth: 'tenant',
      body: generateCriteriaRequest,
      responses: { 200: { description: 'The proposal.', schema: generateCriteriaResponse } },
      handler: async ({ tenant, body }) => reply(200, await criteria.generate(tenant, body.goal)),
    }),
    route({
      method: 'get',
      path: '/api/v1/campaigns',
      operationId: 'listCampaigns',
      tag,
      summary: 'List campaigns',
      auth: 'tenant_in_mode',
      query: z.object({
        cursor: queryCursor,
        offset: queryOffset,
        limit: queryInt({ min: 1, max: 100, default: 50 }),
        status: statusFilter,
        include_total: queryIncludeTotal,
      }),
      responses: { 200: { description: 'A page of campaigns, newest first.', schema: campaignListResponse } },
      errors: ['invalid_cursor'],
      handler: async ({ scope, query }) => reply(200, await campaigns.list(scope, query)),
    }),
    route({
      method: 'get',
      path: '/api/v1/campaigns/{campaign_id}',
      operationId: 'getCampaign',
      tag,
      summary: 'Get a campaign',
      auth: 'tenant_in_mode',
      params,
      responses: { 200: { description: 'The campaign.', schema: campaignResponse } },
      errors: ['campaign_not_found', 'agent_not_found'],
      handler: async ({ scope, params }) => reply(200, await campaigns.get(scope, params.campaign_id)),
    }),
    route({
      method: 'patch',
      path: '/api/v1/campaigns/{campaign_id}',
      operationId: 'updateCampaignCriteria',
      tag,
      summary: 'Change the success criteria of a draft',
      description: 'Only the given fields change.',
      auth: 'tenant_in_mode',
      params,
      body: campaignCriteriaUpdate,
      responses: { 200: { description: 'The campaign after the change.', schema: campaignResponse } },
      errors: ['campaign_not_found', 'campaign_not_draft', 'agent_not_found'],
      handler: async ({ scope, params, body }) =>
        reply(200, await campaigns.updateCriteria(scope, params.campaign_id, body)),
    }),
    transition(
      'start',
      'Start or resume a campaign',
      'A draft whose `scheduled_start` lies in the future becomes `scheduled`; everything else runs at once.',
    ),
    transition('pause', 'Pause a campaign', 'Nobody new is called; calls that are live go on.'),
    transition(
      'cancel',
      'Cancel a campaign',
      'For good: contacts that were not called yet are cancelled; calls that are live go on.',
    ),
    route({
      method: 'get',
      path: '/api/v1/campaigns/{campaign_id}/contacts',
      operationId: 'listCampaignContacts',
      tag,
      summary: "List a campaign's contacts",
      auth: 'tenant_in_mode',
      params,
      query: z.object({
        offset: queryInt({ min: 0, max: 10_000_000, default: 0 }),
        limit: queryInt({ min: 1, max: 100, default: 50 }),
        status: statusFilter,
        include_total: queryIncludeTotal,
      }),
      responses: { 200: { description: 'In the order of the list.', schema: contactListResponse } },
      errors: ['campaign_not_found'],
      handler: async ({ scope, params, query }) =>
        reply(200, await contacts.list(scope, params.campaign_id, query)),
    }),
    route({
      method: 'post',
      path: '/api/v1/campaigns/{campaign_id}/contacts/{contact_id}/reschedule',
      operationId: 'rescheduleCampaignContact',
      tag,
      summary: 'Call a contact (again) at a given time',
      description:
        'Makes the contact pending, whatever its state; a failed one is revived, and a completed campaign runs again for it.',
      auth: 'tenant_in_mode',
      params: params.extend({ contact_id: uuid }),
      body: contactRescheduleRequest,
      responses: { 200: { description: 'The contact.', schema: contactResponse } },
      errors: [
        'campaign_not_found',
        'contact_not_found',
        'campaign_state_conflict',
        'next_retry_at_not_future',
      ],
      handler: async ({ scope, params, body }) =>
        reply(
          200,
          await contacts.reschedule(
            scope,
            params.campaign_id,
            params.contact_id,
            Date.parse(body.next_retry_at),
          ),
        ),
    }),
  ];
}
