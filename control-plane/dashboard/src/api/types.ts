import type { components } from './openapi.js';

type Schemas = components['schemas'];

export type Agent = Schemas['AgentResponse'];
export type ApiKey = Schemas['ApiKeyResponse'];
export type Call = Schemas['CallResponse'];
export type CallDetail = Schemas['CallDetailResponse'];
export type CallStatus = Schemas['CallStatus'];
export type CallDirection = Schemas['CallDirection'];
export type TimelineEvent = Schemas['TimelineEvent'];
export type ToolExecution = Schemas['ToolExecution'];
export type TranscriptTurn = Schemas['TranscriptTurn'];
export type TurnMetrics = Schemas['TurnMetrics'];
export type Campaign = Schemas['CampaignResponse'];
export type CampaignSummary = Schemas['CampaignSummary'];
export type CampaignStatus = CampaignSummary['status'];
export type CampaignAnalytics = Schemas['CampaignAnalytics'];
export type CampaignContact = Schemas['CampaignContactResponse'];
export type ContactStatus = CampaignContact['status'];
export type ExtractedRow = Schemas['CampaignExtractedRow'];
export type CallingHours = Schemas['CallingHours'];
export type Overview = Schemas['OverviewResponse'];
export type Webhook = Schemas['WebhookResponse'];
export type Delivery = Schemas['DeliveryResponse'];
export type EventType = Schemas['TestFireRequest']['event_type'];
export type DncEntry = Schemas['DncEntryResponse'];
export type PhoneNumber = Schemas['PhoneNumberResponse'];
export type UsageSummary = Schemas['UsageSummary'];
