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
