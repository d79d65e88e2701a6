// Generated from the OpenAPI description by `npm run clients`. Change the API or clients/generate, not this.

export interface Actor {
  /** Whether a person or a program did it. */
  type: 'member' | 'api_key';
  /** Of the member or of the key. */
  id: string;
  /** What they were called when they did it. */
  name: string;
}

export interface AgentActivatedEvent {
  /** The event. The same on every attempt and replay: drop what you have seen. */
  event_id: string;
  /** The event type. */
  event_type: 'agent.activated';
  /** The tenant. */
  tenant_id: string;
  /** Whether it belongs to the sandbox rather than to production. */
  sandbox: boolean;
  /** Unix seconds. */
  occurred_at: number;
  /** What belongs to the event type. */
  data: AgentActivatedEventData;
}

export interface AgentActivatedEventData {
  /** The agent. */
  agent_id: string;
}

/** Everything but name and system_prompt has a default. */
export interface AgentCreate {
  /** What it is called. */
  name: string;
  /** `cascaded`: recogniser, language model and voice; `realtime`: one speech-to-speech model. */
  pipeline_type?: PipelineType;
  /** `{{name}}` is replaced by the call's variable `name`. */
  system_prompt: string;
  /** Said when the call is answered, after the disclosure; empty lets the caller begin. */
  first_message?: string;
  /** The language that the agent speaks: a BCP 47 tag that the providers know. */
  language?: string;
  /** Kill switch: an inactive agent takes and makes no calls. */
  is_active?: boolean;
  /** Used when a provider fails in a call. A realtime agent goes on as this cascade when its provider fails: what is missing of `stt`, `llm` and `tts` is then what this installation uses by default. Without any of them, the call of a realtime agent ends with `provider_failed`. */
  fallback_voice_config?: FallbackVoiceConfigInput;
  /** Secrets are never shown again; a tool that is sent again without them keeps them. Default: `[{"type":"end_call","name":"end_call","description":""}]`. */
  tools?: AgentToolInput[];
  /** Where the agent may transfer a call to. */
  transfer_destinations?: TransferDestinationInput[];
  /** What says at the beginning that an AI speaks. */
  disclosure?: DisclosureInput;
  /** When the agent may call, by the day of the week. */
  calling_hours?: CallingHoursInput;
  /** When the agent speaks and when it lets the other speak. */
  turn_taking?: TurnTakingSettingsInput;
  /** After this time the call is ended, in seconds. */
  max_duration_seconds?: number;
  /** How long nobody may speak before the agent asks, in seconds. */
  silence_timeout_seconds?: number;
  /** Contacts whose voicemail answered. */
  voicemail?: VoicemailSettingsInput;
  /** `announce` says after the disclosure that the call is recorded. A call that may only be recorded with the consent of everybody is not recorded by an agent that does not announce it. */
  recording?: RecordingSettingsInput;
  /** What is found out of a call after its end. */
  analysis?: AnalysisSettingsInput;
  /** Instructions that an operator can send into a live call. */
  nudge_presets?: NudgePresetInput[];
  /** Your own data. Replaced as a whole. */
  metadata?: Record<string, unknown>;
  /** `stt`, `llm` and `tts` of a cascaded agent, `realtime` of a realtime one. Left out, what this installation has. A change of `pipeline_type` keeps the choices of the other pipeline aside: turned back, the agent has them again. */
  voice_config?: VoiceConfigInput;
}

export interface AgentDeactivatedEvent {
  /** The event. The same on every attempt and replay: drop what you have seen. */
  event_id: string;
  /** The event type. */
  event_type: 'agent.deactivated';
  /** The tenant. */
  tenant_id: string;
  /** Whether it belongs to the sandbox rather than to production. */
  sandbox: boolean;
  /** Unix seconds. */
  occurred_at: number;
  /** What belongs to the event type. */
  data: AgentDeactivatedEventData;
}

export interface AgentDeactivatedEventData {
  /** The agent. */
  agent_id: string;
}

export interface AgentEstimateRequest {
  /** Left out, that of the agent. */
  pipeline_type?: PipelineType;
  /** As in a change of the agent: what is left out is as the agent has it. */
  voice_config?: VoiceConfigInput;
  /** As in a change of the agent: what is left out is as the agent has it. */
  turn_taking?: AgentEstimateRequestTurnTaking;
  /** Who is called: it decides what the carrier charges. By default in the US. */
  to_number?: string;
}

export interface AgentEstimateRequestTurnTaking {
  /** Who decides that the caller's turn is over when the agent is realtime: `service`, by the settings beside, or `provider`, by its own turn detection. Cascaded agents: always the service. */
  turn_detection?: 'service' | 'provider';
  /** `on`: a model on the worker listens to how the speech ends, and shortens or lengthens the pause that ends the turn, together with the words and the recogniser. Cascaded agents; it needs `npm run models` on the workers. */
  semantic_end_of_turn?: 'off' | 'on';
  /** Silence after which a turn can be over, in milliseconds. */
  min_endpointing_ms?: number;
  /** The same when the recogniser is confident that it is, in milliseconds. */
  confident_endpointing_ms?: number;
  /** Silence after which a turn is over in any case, in milliseconds. */
  max_endpointing_ms?: number;
  /** From which confidence of the recogniser on its end of turn counts, 0 to 1. */
  end_of_turn_confidence?: number;
  /** What of an answer is made before the caller's turn is surely over: nothing (`off`), its text (`llm`), or its first audio as well (`llm_and_voice`). Nothing of it is heard before the turn is over. */
  preemptive_generation?: 'off' | 'llm' | 'llm_and_voice';
  /** How long an interim transcript must stand for that at least, in milliseconds. */
  eager_stable_interim_ms?: number;
  /** Speech after which the agent pauses, in milliseconds. */
  barge_in_pause_ms?: number;
  /** Speech that interrupts the agent, in milliseconds. */
  barge_in_min_speech_ms?: number;
  /** Words that interrupt the agent. */
  barge_in_min_words?: number;
  /** Silence after which a paused agent goes on, in milliseconds. */
  false_interruption_ms?: number;
  /** After which time a filler bridges a slow answer, in milliseconds. */
  filler_delay_ms?: number;
  /** Said when a tool or the model is slow; an empty list switches fillers off. */
  fillers?: string[];
  /** Asked one after the other when nobody speaks. */
  silence_prompts?: string[];
  /** Said when the model or the voice failed and the agent asks again; empty: a sentence in its language. */
  apology?: string;
  /** Said before the agent hangs up on silence. */
  silence_goodbye?: string;
  /** Probability of speech from which on it is speech, 0 to 1. */
  vad_on?: number;
  /** Probability of speech below which it is none any more, 0 to 1. */
  vad_off?: number;
  /** Shortest speech that counts, in milliseconds. */
  vad_min_speech_ms?: number;
  /** Shortest silence that counts, in milliseconds. */
  vad_min_silence_ms?: number;
}

export interface AgentEstimateResponse {
  /** The agent. */
  agent_id: string;
  /** The version of the agent that it is of. */
  version: number;
  /** USD, of an outbound call in production. */
  cost_per_minute: CostPerMinute;
  /** How soon it answers with its turn-taking: endpointing, who finds the end of a turn, early answers. */
  expected_latency: ExpectedLatency;
  /** What its calls came to; null before the first. */
  measured: MeasuredCalls | null;
}

export interface AgentListResponse {
  /** The agents of this page, newest first. */
  agents: AgentResponse[];
  /** How many entries the filters let through. Only with `include_total=true`. */
  total?: number;
  /** Whether there are more than `total`: counting stops at 10,000. */
  total_is_capped?: boolean;
  /** Whether there are entries after this page. */
  has_more: boolean;
  /** Pass it as `cursor` to get the next page; null on the last one. */
  next_cursor: string | null;
}

export interface AgentResponse {
  /** What it is called. */
  name: string;
  /** `cascaded`: recogniser, language model and voice; `realtime`: one speech-to-speech model. */
  pipeline_type: PipelineType;
  /** `{{name}}` is replaced by the call's variable `name`. */
  system_prompt: string;
  /** Said when the call is answered, after the disclosure; empty lets the caller begin. */
  first_message: string;
  /** The language that the agent speaks: a BCP 47 tag that the providers know. */
  language: string;
  /** Kill switch: an inactive agent takes and makes no calls. */
  is_active: boolean;
  /** Used when a provider fails in a call. A realtime agent goes on as this cascade when its provider fails: what is missing of `stt`, `llm` and `tts` is then what this installation uses by default. Without any of them, the call of a realtime agent ends with `provider_failed`. */
  fallback_voice_config: FallbackVoiceConfig;
  /** What the agent can do besides talking. */
  tools: AgentTool[];
  /** Where the agent may transfer a call to. */
  transfer_destinations: TransferDestination[];
  /** What says at the beginning that an AI speaks. */
  disclosure: Disclosure;
  /** When the agent may call, by the day of the week. */
  calling_hours: CallingHours;
  /** When the agent speaks and when it lets the other speak. */
  turn_taking: TurnTakingSettings;
  /** After this time the call is ended, in seconds. */
  max_duration_seconds: number;
  /** How long nobody may speak before the agent asks, in seconds. */
  silence_timeout_seconds: number;
  /** Contacts whose voicemail answered. */
  voicemail: VoicemailSettings;
  /** `announce` says after the disclosure that the call is recorded. A call that may only be recorded with the consent of everybody is not recorded by an agent that does not announce it. */
  recording: RecordingSettings;
  /** What is found out of a call after its end. */
  analysis: AnalysisSettings;
  /** Instructions that an operator can send into a live call. */
  nudge_presets: NudgePreset[];
  /** Your own data. Replaced as a whole. */
  metadata: Record<string, unknown>;
  /** Its id. */
  id: string;
  /** Counts its saves. `GET /agents/{agent_id}/versions` lists them. */
  version: number;
  /** `stt`, `llm` and `tts` of a cascaded agent, `realtime` of a realtime one. */
  voice_config: VoiceConfig;
  /** Whether a provider is outside the canonical matrix. */
  experimental: boolean;
  /** What is to be known of its providers: outside the matrix, or without a key here. */
  warnings: string[];
  /** When it was created. */
  created_at: string;
  /** When it was last changed. */
  updated_at: string;
}

export interface AgentTemplateCloneRequest {
  /** Written into the texts for good; the others stay for the calls to give. */
  variables?: Record<string, string>;
  /** Any field of an agent, as in a change of one. */
  changes?: AgentUpdate;
}

export interface AgentTemplateCloneResponse {
  /** What it is called. */
  name: string;
  /** `cascaded`: recogniser, language model and voice; `realtime`: one speech-to-speech model. */
  pipeline_type: PipelineType;
  /** `{{name}}` is replaced by the call's variable `name`. */
  system_prompt: string;
  /** Said when the call is answered, after the disclosure; empty lets the caller begin. */
  first_message: string;
  /** The language that the agent speaks: a BCP 47 tag that the providers know. */
  language: string;
  /** Kill switch: an inactive agent takes and makes no calls. */
  is_active: boolean;
  /** Used when a provider fails in a call. A realtime agent goes on as this cascade when its provider fails: what is missing of `stt`, `llm` and `tts` is then what this installation uses by default. Without any of them, the call of a realtime agent ends with `provider_failed`. */
  fallback_voice_config: FallbackVoiceConfig;
  /** What the agent can do besides talking. */
  tools: AgentTool[];
  /** Where the agent may transfer a call to. */
  transfer_destinations: TransferDestination[];
  /** What says at the beginning that an AI speaks. */
  disclosure: Disclosure;
  /** When the agent may call, by the day of the week. */
  calling_hours: CallingHours;
  /** When the agent speaks and when it lets the other speak. */
  turn_taking: TurnTakingSettings;
  /** After this time the call is ended, in seconds. */
  max_duration_seconds: number;
  /** How long nobody may speak before the agent asks, in seconds. */
  silence_timeout_seconds: number;
  /** Contacts whose voicemail answered. */
  voicemail: VoicemailSettings;
  /** `announce` says after the disclosure that the call is recorded. A call that may only be recorded with the consent of everybody is not recorded by an agent that does not announce it. */
  recording: RecordingSettings;
  /** What is found out of a call after its end. */
  analysis: AnalysisSettings;
  /** Instructions that an operator can send into a live call. */
  nudge_presets: NudgePreset[];
  /** Your own data. Replaced as a whole. */
  metadata: Record<string, unknown>;
  /** Its id. */
  id: string;
  /** Counts its saves. `GET /agents/{agent_id}/versions` lists them. */
  version: number;
  /** `stt`, `llm` and `tts` of a cascaded agent, `realtime` of a realtime one. */
  voice_config: VoiceConfig;
  /** Whether a provider is outside the canonical matrix. */
  experimental: boolean;
  /** What is to be known of its providers: outside the matrix, or without a key here. */
  warnings: string[];
  /** When it was created. */
  created_at: string;
  /** When it was last changed. */
  updated_at: string;
  /** What of the template's integration tools the agent got; the agent works without them, too. */
  integration_tools: AgentTemplateCloneResponseIntegrationTool[];
}

export interface AgentTemplateCloneResponseIntegrationTool {
  /** What the agent is for. */
  purpose: string;
  /** That give it, the preferred one first. */
  integrations: string[];
  /** Which of them the agent uses; null for none. */
  integration: string | null;
  /** Names of the tools that the agent got for it. */
  tools: string[];
  /** What to do for it where the agent goes without. */
  hint: string | null;
}

export interface AgentTemplateListResponse {
  /** The built-in templates. */
  templates: AgentTemplateResponse[];
  /** How many there are in all. */
  total: number;
  /** Whether there are entries after this page. */
  has_more: false;
  /** Always null: the list comes whole. */
  next_cursor: string | null;
}

export interface AgentTemplateResponse {
  /** The name in paths. */
  slug: string;
  /** What it is called. */
  name: string;
  /** The field of business. */
  category: 'hr' | 'sales' | 'real_estate' | 'healthcare' | 'insurance' | 'collections' | 'support' | 'hospitality' | 'research' | 'events';
  /** What it is, in words. */
  description: string;
  /** What stands in the texts as `{{name}}`. */
  variables: AgentTemplateResponseVariable[];
  /** What a clone can do besides, when one of these integrations is connected. */
  integration_tools: AgentTemplateResponseIntegrationTool[];
  /** For a campaign of this agent: the first is the success. */
  outcome_labels: string[];
  /** The settings of an agent that is cloned without changes. */
  agent: AgentTemplateResponseAgent;
}

export interface AgentTemplateResponseAgent {
  /** What it is called. */
  name: string;
  /** `cascaded`: recogniser, language model and voice; `realtime`: one speech-to-speech model. */
  pipeline_type: PipelineType;
  /** `{{name}}` is replaced by the call's variable `name`. */
  system_prompt: string;
  /** Said when the call is answered, after the disclosure; empty lets the caller begin. */
  first_message: string;
  /** The language that the agent speaks: a BCP 47 tag that the providers know. */
  language: string;
  /** Kill switch: an inactive agent takes and makes no calls. */
  is_active: boolean;
  /** Used when a provider fails in a call. A realtime agent goes on as this cascade when its provider fails: what is missing of `stt`, `llm` and `tts` is then what this installation uses by default. Without any of them, the call of a realtime agent ends with `provider_failed`. */
  fallback_voice_config: FallbackVoiceConfig;
  /** What the agent can do besides talking. */
  tools: AgentTool[];
  /** Where the agent may transfer a call to. */
  transfer_destinations: TransferDestination[];
  /** What says at the beginning that an AI speaks. */
  disclosure: Disclosure;
  /** When the agent may call, by the day of the week. */
  calling_hours: CallingHours;
  /** When the agent speaks and when it lets the other speak. */
  turn_taking: TurnTakingSettings;
  /** After this time the call is ended, in seconds. */
  max_duration_seconds: number;
  /** How long nobody may speak before the agent asks, in seconds. */
  silence_timeout_seconds: number;
  /** Contacts whose voicemail answered. */
  voicemail: VoicemailSettings;
  /** `announce` says after the disclosure that the call is recorded. A call that may only be recorded with the consent of everybody is not recorded by an agent that does not announce it. */
  recording: RecordingSettings;
  /** What is found out of a call after its end. */
  analysis: AnalysisSettings;
  /** Instructions that an operator can send into a live call. */
  nudge_presets: NudgePreset[];
  /** Your own data. Replaced as a whole. */
  metadata: Record<string, unknown>;
}

export interface AgentTemplateResponseIntegrationTool {
  /** What the agent is for. */
  purpose: string;
  /** Integrations that it works well with, by slug. */
  integrations: string[];
}

export interface AgentTemplateResponseVariable {
  /** What it is called. */
  name: string;
  /** What it is, in words. */
  description: string;
  /** A value that fits. */
  example: string;
  /** `clone`: the same for all calls; `call`: of the person who is called. */
  given: 'clone' | 'call';
}

export type AgentTool = AgentToolEndCall | AgentToolTransferCall | AgentToolSendDtmf | AgentToolIntegration | AgentToolTransferToAgent | AgentToolHttp | AgentToolMcp;

export interface AgentToolEndCall {
  /** Which type it is. */
  type: 'end_call';
  /** What it is called. */
  name: string;
  /** What it is, in words. */
  description: string;
}

export interface AgentToolEndCallInput {
  /** Which type it is. */
  type: 'end_call';
  /** What it is called. */
  name?: string;
  /** What it is, in words. */
  description?: string;
}

export interface AgentToolHttp {
  /** Which type it is. */
  type: 'http';
  /** What it is called. */
  name: string;
  /** What it is, in words. */
  description: string;
  /** JSON Schema of the arguments, of the type object. Keywords: `$schema`, `$comment`, `title`, `description`, `default`, `examples`, `deprecated`, `readOnly`, `writeOnly`, `type`, `enum`, `const`, `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `multipleOf`, `minLength`, `maxLength`, `pattern`, `format`, `items`, `prefixItems`, `minItems`, `maxItems`, `uniqueItems`, `properties`, `required`, `additionalProperties`, `propertyNames`, `minProperties`, `maxProperties`, `anyOf`, `oneOf`, `allOf`, `$ref`, `$defs`, `definitions`; any other is refused, at every depth. `$ref` leads to `#/$defs/<name>` and never back to itself. `pattern` is in the syntax of RE2, without lookaround and back-references. Formats: date, date-time, time, duration, email, uri, uuid, ipv4, ipv6; others are hints. At most 32 KiB as JSON. */
  parameters: Record<string, unknown>;
  /** The address. */
  url: string;
  /** The HTTP method. */
  method: AgentToolHttpMethod;
  /** Sent with every request; shown again. */
  headers: Record<string, string>;
  /** How long the answer may take, in milliseconds. */
  timeout_ms: number;
  /** Whether it changes something outside: then it never runs speculatively. */
  side_effects: boolean;
  /** What becomes of the tool when the caller speaks while it runs. They are answered at once either way: it goes on and its result enters the conversation when it comes (`continue`, the default), or it is given up (`cancel`). */
  when_caller_speaks?: AgentToolHttpWhenCallerSpeaks;
  /** The recording pauses while the tool runs, and its arguments and its result are kept out of the record: for card numbers and the like. */
  sensitive?: boolean;
  /** The names of the secret headers that are stored. Only shown: what is sent of it is not read. */
  secret_header_names?: string[];
}

export interface AgentToolHttpInput {
  /** Which type it is. */
  type: 'http';
  /** What it is called. */
  name: string;
  /** What it is, in words. */
  description?: string;
  /** JSON Schema of the arguments, of the type object. Keywords: `$schema`, `$comment`, `title`, `description`, `default`, `examples`, `deprecated`, `readOnly`, `writeOnly`, `type`, `enum`, `const`, `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `multipleOf`, `minLength`, `maxLength`, `pattern`, `format`, `items`, `prefixItems`, `minItems`, `maxItems`, `uniqueItems`, `properties`, `required`, `additionalProperties`, `propertyNames`, `minProperties`, `maxProperties`, `anyOf`, `oneOf`, `allOf`, `$ref`, `$defs`, `definitions`; any other is refused, at every depth. `$ref` leads to `#/$defs/<name>` and never back to itself. `pattern` is in the syntax of RE2, without lookaround and back-references. Formats: date, date-time, time, duration, email, uri, uuid, ipv4, ipv6; others are hints. At most 32 KiB as JSON. */
  parameters?: Record<string, unknown>;
  /** The address. */
  url: string;
  /** The HTTP method. */
  method?: AgentToolHttpMethod;
  /** Sent with every request; shown again. */
  headers?: Record<string, string>;
  /** Sent too, such as `Authorization`; stored encrypted and never shown. Kept when left out, as long as the server's origin stays the same; else they are the whole of them: null keeps the value that is stored under the name, and `{}` removes all. */
  secret_headers?: Record<string, string | null>;
  /** How long the answer may take, in milliseconds. */
  timeout_ms?: number;
  /** Signs each request as webhooks are signed (`X-Service-Signature`); stored encrypted and never shown. */
  secret?: string;
  /** Whether it changes something outside: then it never runs speculatively. */
  side_effects?: boolean;
  /** What becomes of the tool when the caller speaks while it runs. They are answered at once either way: it goes on and its result enters the conversation when it comes (`continue`, the default), or it is given up (`cancel`). */
  when_caller_speaks?: AgentToolHttpWhenCallerSpeaks;
  /** The recording pauses while the tool runs, and its arguments and its result are kept out of the record: for card numbers and the like. */
  sensitive?: boolean;
  /** The names of the secret headers that are stored. Only shown: what is sent of it is not read. */
  secret_header_names?: string[];
}

export type AgentToolHttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type AgentToolHttpWhenCallerSpeaks = 'continue' | 'cancel';

export type AgentToolInput = AgentToolEndCallInput | AgentToolTransferCallInput | AgentToolSendDtmfInput | AgentToolHttpInput | AgentToolIntegrationInput | AgentToolMcpInput | AgentToolTransferToAgentInput;

export interface AgentToolIntegration {
  /** Which type it is. */
  type: 'integration';
  /** What it is called. */
  name: string;
  /** What it is, in words. */
  description: string;
  /** The integration, by its slug. */
  integration: string;
  /** The integration's action. */
  action: string;
  /** What becomes of the tool when the caller speaks while it runs. They are answered at once either way: it goes on and its result enters the conversation when it comes (`continue`, the default), or it is given up (`cancel`). */
  when_caller_speaks?: AgentToolIntegrationWhenCallerSpeaks;
  /** The recording pauses while the tool runs, and its arguments and its result are kept out of the record: for card numbers and the like. */
  sensitive?: boolean;
}

export interface AgentToolIntegrationInput {
  /** Which type it is. */
  type: 'integration';
  /** What it is called. */
  name: string;
  /** What it is, in words. */
  description?: string;
  /** The integration, by its slug. */
  integration: string;
  /** The integration's action. */
  action: string;
  /** What becomes of the tool when the caller speaks while it runs. They are answered at once either way: it goes on and its result enters the conversation when it comes (`continue`, the default), or it is given up (`cancel`). */
  when_caller_speaks?: AgentToolIntegrationWhenCallerSpeaks;
  /** The recording pauses while the tool runs, and its arguments and its result are kept out of the record: for card numbers and the like. */
  sensitive?: boolean;
}

export type AgentToolIntegrationWhenCallerSpeaks = 'continue' | 'cancel';

export interface AgentToolMcp {
  /** Which type it is. */
  type: 'mcp';
  /** Begins the names of the server's tools: `<name>_<tool>`. */
  name: string;
  /** Of those tools that the server does not describe. */
  description: string;
  /** The server's Streamable HTTP endpoint. It is first asked when a call begins; a server that is down leaves the agent without its tools, which the call's timeline shows. */
  server_url: string;
  /** Sent with every request; shown again. */
  headers: Record<string, string>;
  /** The server's own names of the tools that the agent gets; left out, all (32 at most). */
  allowed_tools?: string[];
  /** Of one call of a tool. */
  timeout_ms: number;
  /** What becomes of the tool when the caller speaks while it runs. They are answered at once either way: it goes on and its result enters the conversation when it comes (`continue`, the default), or it is given up (`cancel`). */
  when_caller_speaks?: AgentToolMcpWhenCallerSpeaks;
  /** The recording pauses while the tool runs, and its arguments and its result are kept out of the record: for card numbers and the like. */
  sensitive?: boolean;
  /** The names of the secret headers that are stored. Only shown: what is sent of it is not read. */
  secret_header_names?: string[];
}

export interface AgentToolMcpInput {
  /** Which type it is. */
  type: 'mcp';
  /** Begins the names of the server's tools: `<name>_<tool>`. */
  name: string;
  /** Of those tools that the server does not describe. */
  description?: string;
  /** The server's Streamable HTTP endpoint. It is first asked when a call begins; a server that is down leaves the agent without its tools, which the call's timeline shows. */
  server_url: string;
  /** Sent with every request; shown again. */
  headers?: Record<string, string>;
  /** Sent too, such as `Authorization`; stored encrypted and never shown. Kept when left out, as long as the server's origin stays the same; else they are the whole of them: null keeps the value that is stored under the name, and `{}` removes all. */
  secret_headers?: Record<string, string | null>;
  /** The server's own names of the tools that the agent gets; left out, all (32 at most). */
  allowed_tools?: string[];
  /** Of one call of a tool. */
  timeout_ms?: number;
  /** What becomes of the tool when the caller speaks while it runs. They are answered at once either way: it goes on and its result enters the conversation when it comes (`continue`, the default), or it is given up (`cancel`). */
  when_caller_speaks?: AgentToolMcpWhenCallerSpeaks;
  /** The recording pauses while the tool runs, and its arguments and its result are kept out of the record: for card numbers and the like. */
  sensitive?: boolean;
  /** The names of the secret headers that are stored. Only shown: what is sent of it is not read. */
  secret_header_names?: string[];
}

export type AgentToolMcpWhenCallerSpeaks = 'continue' | 'cancel';

export interface AgentToolSendDtmf {
  /** Which type it is. */
  type: 'send_dtmf';
  /** What it is called. */
  name: string;
  /** What it is, in words. */
  description: string;
}

export interface AgentToolSendDtmfInput {
  /** Which type it is. */
  type: 'send_dtmf';
  /** What it is called. */
  name?: string;
  /** What it is, in words. */
  description?: string;
}

export interface AgentToolTransferCall {
  /** Which type it is. */
  type: 'transfer_call';
  /** What it is called. */
  name: string;
  /** What it is, in words. */
  description: string;
  /** `warm`: the agent briefs the human first; `cold`: the call is handed over at once. */
  transfer_type: AgentToolTransferCallTransferType;
}

export interface AgentToolTransferCallInput {
  /** Which type it is. */
  type: 'transfer_call';
  /** What it is called. */
  name?: string;
  /** What it is, in words. */
  description?: string;
  /** `warm`: the agent briefs the human first; `cold`: the call is handed over at once. */
  transfer_type?: AgentToolTransferCallTransferType;
}

export type AgentToolTransferCallTransferType = 'warm' | 'cold';

export interface AgentToolTransferToAgent {
  /** Which type it is. */
  type: 'transfer_to_agent';
  /** What it is called. */
  name: string;
  /** What it is, in words. */
  description: string;
  /** The agents of the tenant that the call may be handed to. At most five handoffs a call, and back to an agent that had the caller only for a reason that is new in the call. What was begun with the first agent stays: disclosure, recording, voicemail, the longest duration. */
  agents: HandoffTarget[];
}

export interface AgentToolTransferToAgentInput {
  /** Which type it is. */
  type: 'transfer_to_agent';
  /** What it is called. */
  name?: string;
  /** What it is, in words. */
  description?: string;
  /** The agents of the tenant that the call may be handed to. At most five handoffs a call, and back to an agent that had the caller only for a reason that is new in the call. What was begun with the first agent stays: disclosure, recording, voicemail, the longest duration. */
  agents: HandoffTargetInput[];
}

/** Only what is given changes; fields within settings objects too. Lists and maps are replaced. */
export interface AgentUpdate {
  /** What it is called. */
  name?: string;
  /** `cascaded`: recogniser, language model and voice; `realtime`: one speech-to-speech model. */
  pipeline_type?: PipelineType;
  /** `{{name}}` is replaced by the call's variable `name`. */
  system_prompt?: string;
  /** Said when the call is answered, after the disclosure; empty lets the caller begin. */
  first_message?: string;
  /** The language that the agent speaks: a BCP 47 tag that the providers know. */
  language?: string;
  /** Kill switch: an inactive agent takes and makes no calls. */
  is_active?: boolean;
  /** Used when a provider fails in a call. A realtime agent goes on as this cascade when its provider fails: what is missing of `stt`, `llm` and `tts` is then what this installation uses by default. Without any of them, the call of a realtime agent ends with `provider_failed`. */
  fallback_voice_config?: AgentUpdateFallbackVoiceConfig;
  /** Secrets are never shown again; a tool that is sent again without them keeps them. */
  tools?: AgentToolInput[];
  /** Where the agent may transfer a call to. */
  transfer_destinations?: TransferDestinationInput[];
  /** What says at the beginning that an AI speaks. */
  disclosure?: AgentUpdateDisclosure;
  /** When the agent may call, by the day of the week. */
  calling_hours?: AgentUpdateCallingHours;
  /** When the agent speaks and when it lets the other speak. */
  turn_taking?: AgentUpdateTurnTaking;
  /** After this time the call is ended, in seconds. */
  max_duration_seconds?: number;
  /** How long nobody may speak before the agent asks, in seconds. */
  silence_timeout_seconds?: number;
  /** Contacts whose voicemail answered. */
  voicemail?: AgentUpdateVoicemail;
  /** Whether and how calls are recorded. */
  recording?: AgentUpdateRecording;
  /** What is found out of a call after its end. */
  analysis?: AgentUpdateAnalysis;
  /** Instructions that an operator can send into a live call. */
  nudge_presets?: NudgePresetInput[];
  /** Your own data. Replaced as a whole. */
  metadata?: Record<string, unknown>;
  /** `stt`, `llm` and `tts` of a cascaded agent, `realtime` of a realtime one. Left out, what this installation has. A change of `pipeline_type` keeps the choices of the other pipeline aside: turned back, the agent has them again. */
  voice_config?: AgentUpdateVoiceConfig;
}

export interface AgentUpdateAnalysis {
  /** Whether it is done. */
  enabled?: boolean;
  /** What a call is scored by. */
  scorecard?: ScorecardCriterionInput[];
  /** JSON Schema of the data that is extracted from each call: an object, or just a map of its fields. What the model answers is held against it; every field may be null. Keywords: `$schema`, `$comment`, `title`, `description`, `default`, `examples`, `deprecated`, `readOnly`, `writeOnly`, `type`, `enum`, `const`, `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `multipleOf`, `minLength`, `maxLength`, `pattern`, `format`, `items`, `prefixItems`, `minItems`, `maxItems`, `uniqueItems`, `properties`, `required`, `additionalProperties`, `propertyNames`, `minProperties`, `maxProperties`, `anyOf`, `oneOf`, `allOf`, `$ref`, `$defs`, `definitions`; any other is refused, at every depth. `$ref` leads to `#/$defs/<name>` and never back to itself. `pattern` is in the syntax of RE2, without lookaround and back-references. Formats: date, date-time, time, duration, email, uri, uuid, ipv4, ipv6; others are hints. At most 32 KiB as JSON. */
  extraction_schema?: Record<string, unknown> | null;
}

export interface AgentUpdateCallingHours {
  /** Whose clock counts; null for the callee's. */
  timezone?: string | null;
  /** The hours of Mondays; null for none. */
  monday?: DayHoursInput | null;
  /** The hours of Tuesdays; null for none. */
  tuesday?: DayHoursInput | null;
  /** The hours of Wednesdays; null for none. */
  wednesday?: DayHoursInput | null;
  /** The hours of Thursdays; null for none. */
  thursday?: DayHoursInput | null;
  /** The hours of Fridays; null for none. */
  friday?: DayHoursInput | null;
  /** The hours of Saturdays; null for none. */
  saturday?: DayHoursInput | null;
  /** The hours of Sundays; null for none. */
  sunday?: DayHoursInput | null;
}

export interface AgentUpdateDisclosure {
  /** Discloses that an AI speaks. Without one, the compliance gate denies outbound calls. */
  text?: string;
  /** Where it is said. */
  position?: 'before_first_message';
}

export interface AgentUpdateFallbackVoiceConfig {
  /** The speech recogniser. */
  stt?: ProviderChoiceInput;
  /** The language model. */
  llm?: ProviderChoiceInput;
  /** The voice. */
  tts?: ProviderChoiceInput;
}

export interface AgentUpdateRecording {
  /** Whether it is done. */
  enabled?: boolean;
  /** Whether the recording is announced. */
  announce?: boolean;
  /** By what words, in the agent's language, the recording is announced. */
  announcement?: string;
}

export interface AgentUpdateTurnTaking {
  /** Who decides that the caller's turn is over when the agent is realtime: `service`, by the settings beside, or `provider`, by its own turn detection. Cascaded agents: always the service. */
  turn_detection?: 'service' | 'provider';
  /** `on`: a model on the worker listens to how the speech ends, and shortens or lengthens the pause that ends the turn, together with the words and the recogniser. Cascaded agents; it needs `npm run models` on the workers. */
  semantic_end_of_turn?: 'off' | 'on';
  /** Silence after which a turn can be over, in milliseconds. */
  min_endpointing_ms?: number;
  /** The same when the recogniser is confident that it is, in milliseconds. */
  confident_endpointing_ms?: number;
  /** Silence after which a turn is over in any case, in milliseconds. */
  max_endpointing_ms?: number;
  /** From which confidence of the recogniser on its end of turn counts, 0 to 1. */
  end_of_turn_confidence?: number;
  /** What of an answer is made before the caller's turn is surely over: nothing (`off`), its text (`llm`), or its first audio as well (`llm_and_voice`). Nothing of it is heard before the turn is over. */
  preemptive_generation?: 'off' | 'llm' | 'llm_and_voice';
  /** How long an interim transcript must stand for that at least, in milliseconds. */
  eager_stable_interim_ms?: number;
  /** Speech after which the agent pauses, in milliseconds. */
  barge_in_pause_ms?: number;
  /** Speech that interrupts the agent, in milliseconds. */
  barge_in_min_speech_ms?: number;
  /** Words that interrupt the agent. */
  barge_in_min_words?: number;
  /** Silence after which a paused agent goes on, in milliseconds. */
  false_interruption_ms?: number;
  /** After which time a filler bridges a slow answer, in milliseconds. */
  filler_delay_ms?: number;
  /** Said when a tool or the model is slow; an empty list switches fillers off. */
  fillers?: string[];
  /** Asked one after the other when nobody speaks. */
  silence_prompts?: string[];
  /** Said when the model or the voice failed and the agent asks again; empty: a sentence in its language. */
  apology?: string;
  /** Said before the agent hangs up on silence. */
  silence_goodbye?: string;
  /** Probability of speech from which on it is speech, 0 to 1. */
  vad_on?: number;
  /** Probability of speech below which it is none any more, 0 to 1. */
  vad_off?: number;
  /** Shortest speech that counts, in milliseconds. */
  vad_min_speech_ms?: number;
  /** Shortest silence that counts, in milliseconds. */
  vad_min_silence_ms?: number;
}

export interface AgentUpdateVoiceConfig {
  /** The speech recogniser. */
  stt?: ProviderChoiceInput;
  /** The language model. */
  llm?: ProviderChoiceInput;
  /** The voice. */
  tts?: ProviderChoiceInput;
  /** The speech-to-speech model. */
  realtime?: ProviderChoiceInput;
}

export interface AgentUpdateVoicemail {
  /** Whether voicemail is detected: by the carrier, and by words, beep and length of the greeting. */
  detect?: boolean;
  /** What the agent does when voicemail answers. */
  action?: 'hangup' | 'leave_message';
  /** Left on the voicemail; empty for nothing. */
  message?: string;
}

export interface AgentVersionChange {
  /** The field, with those that it is in. A list is one field. */
  path: string;
  /** Absent where that version has it not. */
  before: unknown;
  /** Absent where that version has it not. */
  after: unknown;
}

export interface AgentVersionDiffResponse {
  /** The version that `before` is of. */
  from: number;
  /** The version that `after` is of. */
  to: number;
  /** The fields that differ. */
  changes: AgentVersionChange[];
}

export interface AgentVersionListResponse {
  /** The newest first. */
  versions: AgentVersionSummary[];
  /** Whether there are entries after this page. */
  has_more: boolean;
  /** Pass it as `cursor` to get the next page; null on the last one. */
  next_cursor: string | null;
}

export interface AgentVersionResponse {
  /** Counts the saves of the agent, from 1. */
  version: number;
  /** Whether new calls begin with it. */
  is_current: boolean;
  /** What it is called. */
  name: string;
  /** The fields that this save changed, as paths. */
  changed: string[];
  /** Who saved it; null in versions from before it was kept. */
  author: Actor | null;
  /** When it was saved. */
  created_at: string;
  /** The agent as it was saved, without secrets. */
  settings: AgentVersionSettings;
}

export interface AgentVersionSettings {
  /** What it is called. */
  name: string;
  /** `cascaded`: recogniser, language model and voice; `realtime`: one speech-to-speech model. */
  pipeline_type: PipelineType;
  /** `{{name}}` is replaced by the call's variable `name`. */
  system_prompt: string;
  /** Said when the call is answered, after the disclosure; empty lets the caller begin. */
  first_message: string;
  /** The language that the agent speaks: a BCP 47 tag that the providers know. */
  language: string;
  /** Kill switch: an inactive agent takes and makes no calls. */
  is_active: boolean;
  /** Used when a provider fails in a call. A realtime agent goes on as this cascade when its provider fails: what is missing of `stt`, `llm` and `tts` is then what this installation uses by default. Without any of them, the call of a realtime agent ends with `provider_failed`. */
  fallback_voice_config: FallbackVoiceConfig;
  /** What the agent can do besides talking. */
  tools: AgentTool[];
  /** Where the agent may transfer a call to. */
  transfer_destinations: TransferDestination[];
  /** What says at the beginning that an AI speaks. */
  disclosure: Disclosure;
  /** When the agent may call, by the day of the week. */
  calling_hours: CallingHours;
  /** When the agent speaks and when it lets the other speak. */
  turn_taking: TurnTakingSettings;
  /** After this time the call is ended, in seconds. */
  max_duration_seconds: number;
  /** How long nobody may speak before the agent asks, in seconds. */
  silence_timeout_seconds: number;
  /** Contacts whose voicemail answered. */
  voicemail: VoicemailSettings;
  /** `announce` says after the disclosure that the call is recorded. A call that may only be recorded with the consent of everybody is not recorded by an agent that does not announce it. */
  recording: RecordingSettings;
  /** What is found out of a call after its end. */
  analysis: AnalysisSettings;
  /** Instructions that an operator can send into a live call. */
  nudge_presets: NudgePreset[];
  /** Your own data. Replaced as a whole. */
  metadata: Record<string, unknown>;
  /** `stt`, `llm` and `tts` of a cascaded agent, `realtime` of a realtime one. */
  voice_config: VoiceConfig;
}

export interface AgentVersionSummary {
  /** Counts the saves of the agent, from 1. */
  version: number;
  /** Whether new calls begin with it. */
  is_current: boolean;
  /** What it is called. */
  name: string;
  /** The fields that this save changed, as paths. */
  changed: string[];
  /** Who saved it; null in versions from before it was kept. */
  author: Actor | null;
  /** When it was saved. */
  created_at: string;
}

export interface AnalysisReadyEvent {
  /** The event. The same on every attempt and replay: drop what you have seen. */
  event_id: string;
  /** The event type. */
  event_type: 'analysis.ready';
  /** The tenant. */
  tenant_id: string;
  /** Whether it belongs to the sandbox rather than to production. */
  sandbox: boolean;
  /** Unix seconds. */
  occurred_at: number;
  /** What belongs to the event type. */
  data: AnalysisReadyEventData;
}

export interface AnalysisReadyEventData {
  /** The call. */
  call_id: string;
  /** The agent. */
  agent_id: string;
  /** Who called: `inbound` for calls to the agent, `outbound` for calls by it. */
  direction: CallDirection;
  /** The calling number, in E.164. */
  from: string;
  /** The called number, in E.164. */
  to: string;
  /** Who spoke from when on; only where the call was handed from one agent to another. */
  agents?: CallSpeaker[];
  /** Without a word there is nothing to analyse: `skipped`. */
  status: 'complete' | 'skipped';
  /** The label of the outcome; null as long as there is none. */
  outcome: string | null;
  /** What happened, in a few sentences; null as long as there is none. */
  summary: string | null;
  /** Scores by criterion. */
  scorecard: Record<string, unknown> | null;
  /** What the agent did by its tools. */
  tool_executions: Record<string, unknown>[];
}

export interface AnalysisSettings {
  /** Whether it is done. */
  enabled: boolean;
  /** What a call is scored by. */
  scorecard: ScorecardCriterion[];
  /** JSON Schema of the data that is extracted from each call: an object, or just a map of its fields. What the model answers is held against it; every field may be null. Keywords: `$schema`, `$comment`, `title`, `description`, `default`, `examples`, `deprecated`, `readOnly`, `writeOnly`, `type`, `enum`, `const`, `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `multipleOf`, `minLength`, `maxLength`, `pattern`, `format`, `items`, `prefixItems`, `minItems`, `maxItems`, `uniqueItems`, `properties`, `required`, `additionalProperties`, `propertyNames`, `minProperties`, `maxProperties`, `anyOf`, `oneOf`, `allOf`, `$ref`, `$defs`, `definitions`; any other is refused, at every depth. `$ref` leads to `#/$defs/<name>` and never back to itself. `pattern` is in the syntax of RE2, without lookaround and back-references. Formats: date, date-time, time, duration, email, uri, uuid, ipv4, ipv6; others are hints. At most 32 KiB as JSON. */
  extraction_schema: Record<string, unknown> | null;
}

export interface AnalysisSettingsInput {
  /** Whether it is done. */
  enabled?: boolean;
  /** What a call is scored by. */
  scorecard?: ScorecardCriterionInput[];
  /** JSON Schema of the data that is extracted from each call: an object, or just a map of its fields. What the model answers is held against it; every field may be null. Keywords: `$schema`, `$comment`, `title`, `description`, `default`, `examples`, `deprecated`, `readOnly`, `writeOnly`, `type`, `enum`, `const`, `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `multipleOf`, `minLength`, `maxLength`, `pattern`, `format`, `items`, `prefixItems`, `minItems`, `maxItems`, `uniqueItems`, `properties`, `required`, `additionalProperties`, `propertyNames`, `minProperties`, `maxProperties`, `anyOf`, `oneOf`, `allOf`, `$ref`, `$defs`, `definitions`; any other is refused, at every depth. `$ref` leads to `#/$defs/<name>` and never back to itself. `pattern` is in the syntax of RE2, without lookaround and back-references. Formats: date, date-time, time, duration, email, uri, uuid, ipv4, ipv6; others are hints. At most 32 KiB as JSON. */
  extraction_schema?: Record<string, unknown> | null;
}

/** Which fields an integration needs is in its `fields`: airtable's are `api_key` and `base_id`. */
export interface ApiKeyConnectRequest {
  /** The key, as the vendor shows it. */
  api_key?: string;
  /** The token, as the vendor shows it. */
  token?: string;
  /** The base, as the vendor names it. */
  base_id?: string;
  /** The address that the vendor gave. */
  webhook_url?: string;
}

export interface ApiKeyCreateRequest {
  /** What it is called. */
  name: string;
  /** Whether the key selects sandbox mode (`sk_test_`). Default: the mode of the caller; `false` needs production. */
  sandbox?: boolean;
}

export interface ApiKeyCreateResponse {
  /** Its id. */
  id: string;
  /** What it is called. */
  name: string;
  /** The first characters of the key. */
  key_prefix: string;
  /** Whether it belongs to the sandbox rather than to production. */
  sandbox: boolean;
  /** Why somebody should decide whether the key is still wanted. It works until it is deleted. */
  review: ApiKeyCreateResponseReview | null;
  /** When it was created. */
  created_at: string;
  /** The key itself: shown here and never again. */
  key: string;
}

export interface ApiKeyCreateResponseReview {
  /** `creator_deleted`: the person who made the key no longer exists. */
  reason: 'creator_deleted';
  /** Since when the key should be reviewed. */
  since: string;
}

export interface ApiKeyListResponse {
  /** The keys, without their plaintext. */
  keys: ApiKeyResponse[];
  /** How many entries the filters let through. Only with `include_total=true`. */
  total?: number;
  /** Whether there are more than `total`: counting stops at 10,000. */
  total_is_capped?: boolean;
  /** Whether there are entries after this page. */
  has_more: boolean;
  /** Pass it as `cursor` to get the next page; null on the last one. */
  next_cursor: string | null;
}

export interface ApiKeyResponse {
  /** Its id. */
  id: string;
  /** What it is called. */
  name: string;
  /** The first characters of the key. */
  key_prefix: string;
  /** Whether it belongs to the sandbox rather than to production. */
  sandbox: boolean;
  /** Why somebody should decide whether the key is still wanted. It works until it is deleted. */
  review: ApiKeyResponseReview | null;
  /** When it was created. */
  created_at: string;
}

export interface ApiKeyResponseReview {
  /** `creator_deleted`: the person who made the key no longer exists. */
  reason: 'creator_deleted';
  /** Since when the key should be reviewed. */
  since: string;
}

export interface AssignAgentRequest {
  /** Answers calls to the number; null unassigns. */
  agent_id: string | null;
}

export interface AvailableNumber {
  /** The number, in E.164. */
  phone_number: string;
  /** The provider, as `GET /api/v1/providers` names it. */
  provider: 'twilio' | 'telnyx' | 'plivo' | 'simulated';
  /** ISO 3166-1 alpha-2. */
  country: string;
  /** The state or province, where it is known. */
  region: string | null;
  /** The town, where it is known. */
  locality: string | null;
  /** What the number can do. */
  capabilities: AvailableNumberCapabilities;
}

export interface AvailableNumberCapabilities {
  /** Whether it takes calls. */
  voice: boolean;
  /** Whether it takes text messages. */
  sms: boolean;
}

export interface CallAnalysis {
  /** `failed` and `skipped` have no results; `error_code` says why. */
  status: 'complete' | 'failed' | 'skipped';
  /** The label of the outcome; null as long as there is none. */
  outcome: string | null;
  /** 0 to 1: the scorecard's weighted mean, or without one how far the goal was reached. */
  outcome_score: number | null;
  /** What happened, in a few sentences; null as long as there is none. */
  summary: string | null;
  /** The mood of the caller; null where it is not known. */
  sentiment: 'positive' | 'neutral' | 'negative' | null;
  /** By criterion, 0 to 1. */
  scorecard: Record<string, CallAnalysisScorecardValue> | null;
  /** By the extraction schema; null for what was not said. */
  extracted_data: Record<string, unknown> | null;
  /** What went wrong, for programs; null when nothing did. */
  error_code: string | null;
  /** What went wrong, for people; null when nothing did. */
  error_message: string | null;
}

export interface CallAnalysisScorecardValue {
  /** The score. */
  score: number;
  /** Why, in words. */
  reason: string;
}

export interface CallCompletedEvent {
  /** The event. The same on every attempt and replay: drop what you have seen. */
  event_id: string;
  /** The event type. */
  event_type: 'call.completed';
  /** The tenant. */
  tenant_id: string;
  /** Whether it belongs to the sandbox rather than to production. */
  sandbox: boolean;
  /** Unix seconds. */
  occurred_at: number;
  /** What belongs to the event type. */
  data: CallCompletedEventData;
}

export interface CallCompletedEventData {
  /** The call. */
  call_id: string;
  /** The agent. */
  agent_id: string;
  /** Who called: `inbound` for calls to the agent, `outbound` for calls by it. */
  direction: CallDirection;
  /** The calling number, in E.164. */
  from: string;
  /** The called number, in E.164. */
  to: string;
  /** Who spoke from when on; only where the call was handed from one agent to another. */
  agents?: CallSpeaker[];
  /** How the call ended. */
  status: 'COMPLETED' | 'VOICEMAIL';
  /** How long it took, in milliseconds. */
  duration_ms: number;
  /** The label of the outcome; null as long as there is none. */
  outcome: string | null;
  /** Where the recording is. */
  recording_url: string | null;
  /** When `recording_url` stops to open (RFC 3339). `GET /api/v1/calls/{id}/recording` makes a fresh one. */
  recording_url_expires_at: string | null;
  /** What happened, in a few sentences; null as long as there is none. */
  summary: string | null;
  /** What the call cost, as billed. Where its analysis was not there in time, what the conversation alone cost: the final sum is `cost` of `GET /api/v1/calls/{id}`. Null where the usage is not known yet. */
  cost_usd: number | null;
}

export interface CallCost {
  /** Speech recognition, in USD. */
  stt: number;
  /** Language models, speech-to-speech ones and the analysis included. */
  llm: number;
  /** Voices, in USD. */
  tts: number;
  /** The telephone line, in USD. */
  carrier: number;
  /** The fee of the service, in USD. */
  service: number;
  /** All of it, in USD. */
  total: number;
  /** What of `llm` and `tts` was of no use, as a part of them: answers begun early that were dropped, models beside which another was faster, and what of an answer was not heard. Absent where that is nothing. */
  wasted?: number;
  /** Of all the amounts. */
  currency: 'usd';
}

export interface CallCreate {
  /** The agent. */
  agent_id: string;
  /** A verified number of the tenant, attested A. */
  from_number: string;
  /** With a sandbox key: a carrier test number. */
  to_number: string;
  /** An earlier check for the same numbers, not older than 15 minutes. */
  compliance_check_id?: string;
  /** Rendered into prompt and first message as `{{name}}`; a name that is missing becomes nothing. */
  variables?: Record<string, string | number | boolean>;
  /** Kept with the call and given back. */
  metadata?: Record<string, unknown>;
}

export interface CallCreateResponse {
  /** Its id. */
  id: string;
  /** The same as `id`. */
  call_id: string;
  /** Where it stands. */
  status: 'queued';
  /** The compliance check that allowed it. */
  compliance_check_id: string;
}

export interface CallDecision {
  /** Its place among all decisions of the call. */
  step: number;
  /** Since the media stream began. */
  at_ms: number;
  /** Which rule it is of: `interruption` says why the agent was silenced, `end_of_turn` why it spoke. */
  rule: 'opening' | 'end_of_turn' | 'preemptive_answer' | 'answer_dropped' | 'answer_heard' | 'barge_in_pause' | 'interruption' | 'false_interruption' | 'backchannel' | 'filler' | 'silence' | 'tool' | 'handoff' | 'machine' | 'failure' | 'ending' | 'note';
  /** What was known at that moment, and what the rule says of it. */
  known: string;
  /** What followed. */
  outcome: string;
  /** What today's rules do instead, empty where that is nothing; null where they do the same. */
  today: string | null;
}

export interface CallDecisionsResponse {
  /** The call. */
  call_id: string;
  /** In their order, without those that led to nothing but timers; 2,000 at most. */
  decisions: CallDecision[];
  /** Whether there are more. */
  truncated: boolean;
  /** All decisions of the call. */
  steps: number;
  /** How many of them today's rules take differently, timers counted. Those after the first may follow from it: what happened then was caused by what was done. */
  different: number;
}

export interface CallDeliveriesResponse {
  /** Attempts, newest first. */
  deliveries: DeliveryResponse[];
  /** Whether there are entries after this page. */
  has_more: boolean;
  /** Pass it as `cursor` to get the next page; null on the last one. */
  next_cursor: string | null;
}

export interface CallDetailResponse {
  /** Its id. */
  id: string;
  /** The agent. */
  agent_id: string;
  /** The version of the agent that it began with; null for calls from before there were versions. */
  agent_version: number | null;
  /** Where it stands. */
  status: CallStatus;
  /** Who called: `inbound` for calls to the agent, `outbound` for calls by it. */
  direction: CallDirection;
  /** Null where it was the other side’s and is erased. */
  from_number: string | null;
  /** Null where it was the other side’s and is erased. */
  to_number: string | null;
  /** Short-lived; null while there is no recording. */
  recording_url: string | null;
  /** Whether the call was made in the sandbox: nothing real was dialled or billed. */
  is_test_call: boolean;
  /** State that guards operations on the call. */
  extra: CallExtra;
  /** The carrier. */
  carrier: string;
  /** The call as the carrier names it; null before it was dialled. */
  carrier_call_id: string | null;
  /** The campaign. */
  campaign_id: string | null;
  /** The contact. */
  contact_id: string | null;
  /** Null where no carrier was asked to dial. */
  compliance_check_id: string | null;
  /** The media worker; null before one took the call. */
  worker_id: string | null;
  /** Answering-machine detection of the carrier. */
  answered_by: string | null;
  /** When it was created. */
  queued_at: string;
  /** When it began to ring; null before. */
  ringing_at: string | null;
  /** When it began; null before. */
  started_at: string | null;
  /** When it ended; null before. */
  ended_at: string | null;
  /** How long it took, in milliseconds. */
  duration_ms: number | null;
  /** Why it ended. */
  end_reason: EndReason | null;
  /** The label of the outcome; null as long as there is none. */
  outcome: string | null;
  /** What happened, in a few sentences; null as long as there is none. */
  summary: string | null;
  /** What went wrong, for programs; null when nothing did. */
  error_code: string | null;
  /** What went wrong, for people; null when nothing did. */
  error_message: string | null;
  /** The final sum, the call's analysis included; null until the call is analysed. */
  cost: CallCost | null;
  /** Your own data, returned as it was given. */
  metadata: Record<string, unknown>;
  /** When it was created. */
  created_at: string;
  /** When it was last changed. */
  updated_at: string;
  /** When all that names or quotes somebody was erased; null for a call that is whole. */
  erased_at: string | null;
  /** Who spoke from when on: more than one where an agent handed the call to another. */
  agents: CallSpeaker[];
  /** The turns, in their order. */
  transcript: TranscriptTurn[];
  /** What the agent did by its tools. */
  tool_executions: ToolExecution[];
  /** Figures of the calls. */
  metrics: CallDetailResponseMetrics;
  /** What providers did, by the count of the worker; tokens of a realtime agent by modality. Null until the end. */
  usage: CallUsage | null;
  /** Null while there is none. */
  analysis: CallAnalysis | null;
  /** What happened, in order. `call.corrected`: the call had been given up as `worker_lost`, and its media worker turned out to have written down how it ended. */
  events: TimelineEvent[];
}

export interface CallDetailResponseMetrics {
  /** Figures of each turn. */
  turns: TurnMetrics[];
  /** The median. */
  p50: StagePercentiles;
  /** What 95 of 100 are below. */
  p95: StagePercentiles;
  /** How the connection did, as last reported; null where the line does not know (carriers). */
  line: LineStatistics | null;
}

export type CallDirection = 'inbound' | 'outbound';

export interface CallErasureResponse {
  /** The call. */
  call_id: string;
  /** `erasing`: nothing of it is shown any more, and the rest follows by itself as soon as the end of the call is charged and published, or the storage answers. */
  status: 'erasing' | 'erased';
  /** When all of it was gone; null before. */
  erased_at: string | null;
}

export interface CallExtra {
  /** Whether a transfer is under way: a second one is refused. */
  transfer_in_progress: boolean;
}

export interface CallFailedEvent {
  /** The event. The same on every attempt and replay: drop what you have seen. */
  event_id: string;
  /** The event type. */
  event_type: 'call.failed';
  /** The tenant. */
  tenant_id: string;
  /** Whether it belongs to the sandbox rather than to production. */
  sandbox: boolean;
  /** Unix seconds. */
  occurred_at: number;
  /** What belongs to the event type. */
  data: CallFailedEventData;
}

export interface CallFailedEventData {
  /** The call. */
  call_id: string;
  /** The agent. */
  agent_id: string;
  /** Who called: `inbound` for calls to the agent, `outbound` for calls by it. */
  direction: CallDirection;
  /** The calling number, in E.164. */
  from: string;
  /** The called number, in E.164. */
  to: string;
  /** Who spoke from when on; only where the call was handed from one agent to another. */
  agents?: CallSpeaker[];
  /** How the call ended. */
  status: 'FAILED' | 'BUSY' | 'NO_ANSWER';
  /** What went wrong, for programs; null when nothing did. */
  error_code: string;
  /** What went wrong, for people; null when nothing did. */
  error_message: string;
}

export interface CallHangupEvent {
  /** The event. The same on every attempt and replay: drop what you have seen. */
  event_id: string;
  /** The event type. */
  event_type: 'call.hangup';
  /** The tenant. */
  tenant_id: string;
  /** Whether it belongs to the sandbox rather than to production. */
  sandbox: boolean;
  /** Unix seconds. */
  occurred_at: number;
  /** What belongs to the event type. */
  data: CallHangupEventData;
}

export interface CallHangupEventData {
  /** The call. */
  call_id: string;
  /** The agent. */
  agent_id: string;
  /** Who called: `inbound` for calls to the agent, `outbound` for calls by it. */
  direction: CallDirection;
  /** The calling number, in E.164. */
  from: string;
  /** The called number, in E.164. */
  to: string;
  /** Who spoke from when on; only where the call was handed from one agent to another. */
  agents?: CallSpeaker[];
  /** Why it ended. */
  end_reason: string;
}

export interface CallingHours {
  /** Whose clock counts; null for the callee's. */
  timezone: string | null;
  /** The hours of Mondays; null for none. Default: `{"start":"08:00","end":"21:00"}`. */
  monday: DayHours | null;
  /** The hours of Tuesdays; null for none. Default: `{"start":"08:00","end":"21:00"}`. */
  tuesday: DayHours | null;
  /** The hours of Wednesdays; null for none. Default: `{"start":"08:00","end":"21:00"}`. */
  wednesday: DayHours | null;
  /** The hours of Thursdays; null for none. Default: `{"start":"08:00","end":"21:00"}`. */
  thursday: DayHours | null;
  /** The hours of Fridays; null for none. Default: `{"start":"08:00","end":"21:00"}`. */
  friday: DayHours | null;
  /** The hours of Saturdays; null for none. Default: `{"start":"08:00","end":"21:00"}`. */
  saturday: DayHours | null;
  /** The hours of Sundays; null for none. Default: `{"start":"08:00","end":"21:00"}`. */
  sunday: DayHours | null;
}

export interface CallingHoursInput {
  /** Whose clock counts; null for the callee's. */
  timezone?: string | null;
  /** The hours of Mondays; null for none. Default: `{"start":"08:00","end":"21:00"}`. */
  monday?: DayHoursInput | null;
  /** The hours of Tuesdays; null for none. Default: `{"start":"08:00","end":"21:00"}`. */
  tuesday?: DayHoursInput | null;
  /** The hours of Wednesdays; null for none. Default: `{"start":"08:00","end":"21:00"}`. */
  wednesday?: DayHoursInput | null;
  /** The hours of Thursdays; null for none. Default: `{"start":"08:00","end":"21:00"}`. */
  thursday?: DayHoursInput | null;
  /** The hours of Fridays; null for none. Default: `{"start":"08:00","end":"21:00"}`. */
  friday?: DayHoursInput | null;
  /** The hours of Saturdays; null for none. Default: `{"start":"08:00","end":"21:00"}`. */
  saturday?: DayHoursInput | null;
  /** The hours of Sundays; null for none. Default: `{"start":"08:00","end":"21:00"}`. */
  sunday?: DayHoursInput | null;
}

export interface CallListResponse {
  /** The calls of this page, newest first. */
  calls: CallResponse[];
  /** Only with `q`: the first turn of each of these calls in which it was said. */
  matches?: TranscriptMatch[];
  /** Only with `q`: how far this page got. */
  search?: TranscriptSearchProgress;
  /** How many entries the filters let through. Only with `include_total=true`. */
  total?: number;
  /** Whether there are more than `total`: counting stops at 10,000. */
  total_is_capped?: boolean;
  /** Whether there are entries after this page. */
  has_more: boolean;
  /** Pass it as `cursor` to get the next page; null on the last one. */
  next_cursor: string | null;
}

export interface CallResponse {
  /** Its id. */
  id: string;
  /** The agent. */
  agent_id: string;
  /** The version of the agent that it began with; null for calls from before there were versions. */
  agent_version: number | null;
  /** Where it stands. */
  status: CallStatus;
  /** Who called: `inbound` for calls to the agent, `outbound` for calls by it. */
  direction: CallDirection;
  /** Null where it was the other side’s and is erased. */
  from_number: string | null;
  /** Null where it was the other side’s and is erased. */
  to_number: string | null;
  /** Short-lived; null while there is no recording. */
  recording_url: string | null;
  /** Whether the call was made in the sandbox: nothing real was dialled or billed. */
  is_test_call: boolean;
  /** State that guards operations on the call. */
  extra: CallExtra;
  /** The carrier. */
  carrier: string;
  /** The call as the carrier names it; null before it was dialled. */
  carrier_call_id: string | null;
  /** The campaign. */
  campaign_id: string | null;
  /** The contact. */
  contact_id: string | null;
  /** Null where no carrier was asked to dial. */
  compliance_check_id: string | null;
  /** The media worker; null before one took the call. */
  worker_id: string | null;
  /** Answering-machine detection of the carrier. */
  answered_by: string | null;
  /** When it was created. */
  queued_at: string;
  /** When it began to ring; null before. */
  ringing_at: string | null;
  /** When it began; null before. */
  started_at: string | null;
  /** When it ended; null before. */
  ended_at: string | null;
  /** How long it took, in milliseconds. */
  duration_ms: number | null;
  /** Why it ended. */
  end_reason: EndReason | null;
  /** The label of the outcome; null as long as there is none. */
  outcome: string | null;
  /** What happened, in a few sentences; null as long as there is none. */
  summary: string | null;
  /** What went wrong, for programs; null when nothing did. */
  error_code: string | null;
  /** What went wrong, for people; null when nothing did. */
  error_message: string | null;
  /** The final sum, the call's analysis included; null until the call is analysed. */
  cost: CallCost | null;
  /** Your own data, returned as it was given. */
  metadata: Record<string, unknown>;
  /** When it was created. */
  created_at: string;
  /** When it was last changed. */
  updated_at: string;
  /** When all that names or quotes somebody was erased; null for a call that is whole. */
  erased_at: string | null;
}

export interface CallsByStatus {
  /** Calls that wait to be dialled. */
  QUEUED: number;
  /** Calls that ring. */
  RINGING: number;
  /** Calls that are live. */
  IN_PROGRESS: number;
  /** Calls that ended well. */
  COMPLETED: number;
  /** Calls that ended in error. */
  FAILED: number;
  /** Calls to busy lines. */
  BUSY: number;
  /** Calls that nobody answered. */
  NO_ANSWER: number;
  /** Calls that voicemail answered. */
  VOICEMAIL: number;
}

export interface CallSpeaker {
  /** The agent. */
  agent_id: string;
  /** Since the media stream began, in ms. */
  from_ms: number;
}

export interface CallStartedEvent {
  /** The event. The same on every attempt and replay: drop what you have seen. */
  event_id: string;
  /** The event type. */
  event_type: 'call.started';
  /** The tenant. */
  tenant_id: string;
  /** Whether it belongs to the sandbox rather than to production. */
  sandbox: boolean;
  /** Unix seconds. */
  occurred_at: number;
  /** What belongs to the event type. */
  data: CallStartedEventData;
}

export interface CallStartedEventData {
  /** The call. */
  call_id: string;
  /** The agent. */
  agent_id: string;
  /** Who called: `inbound` for calls to the agent, `outbound` for calls by it. */
  direction: CallDirection;
  /** The calling number, in E.164. */
  from: string;
  /** The called number, in E.164. */
  to: string;
  /** Who spoke from when on; only where the call was handed from one agent to another. */
  agents?: CallSpeaker[];
}

export type CallStatus = 'QUEUED' | 'RINGING' | 'IN_PROGRESS' | 'COMPLETED' | 'FAILED' | 'BUSY' | 'NO_ANSWER' | 'VOICEMAIL';

export interface CallTransfer {
  /** Of a human: an ordinary number, no premium, personal or satellite one. With a sandbox key: a carrier test number. */
  destination: string;
  /** `cold`: connected at once. `warm`: the human is rung and briefed first; the caller stays until then. */
  transfer_type?: 'cold' | 'warm';
  /** What the human hears first (warm). */
  briefing?: string;
}

export interface CallTransferredEvent {
  /** The event. The same on every attempt and replay: drop what you have seen. */
  event_id: string;
  /** The event type. */
  event_type: 'call.transferred';
  /** The tenant. */
  tenant_id: string;
  /** Whether it belongs to the sandbox rather than to production. */
  sandbox: boolean;
  /** Unix seconds. */
  occurred_at: number;
  /** What belongs to the event type. */
  data: CallTransferredEventData;
}

export interface CallTransferredEventData {
  /** The call. */
  call_id: string;
  /** The agent. */
  agent_id: string;
  /** Who called: `inbound` for calls to the agent, `outbound` for calls by it. */
  direction: CallDirection;
  /** The calling number, in E.164. */
  from: string;
  /** The called number, in E.164. */
  to: string;
  /** Who spoke from when on; only where the call was handed from one agent to another. */
  agents?: CallSpeaker[];
  /** To which number, in E.164. */
  transfer_to: string;
  /** `warm`: the agent briefs the human first; `cold`: the call is handed over at once. */
  transfer_type: 'warm' | 'cold';
}

export interface CallTransferResponse {
  /** The call. */
  call_id: string;
  /** The transfer. */
  transfer_id: string;
  /** `in_progress`: the human is being rung. */
  status: 'transferred' | 'in_progress';
  /** To which number, in E.164. */
  transfer_to: string;
  /** `warm`: the agent briefs the human first; `cold`: the call is handed over at once. */
  transfer_type: 'cold' | 'warm';
}

export interface CallUsage {
  /** The speech recogniser. */
  stt: CallUsageStt;
  /** The language model. */
  llm: CallUsageLlm;
  /** The voice. */
  tts: CallUsageTts;
  /** The speech-to-speech model. */
  realtime?: CallUsageRealtime;
  /** The use of one provider each. */
  segments?: UsageSegment[];
  /** What of it was of no use, as a part of it. */
  wasted?: UsageWaste[];
}

export interface CallUsageLlm {
  /** The provider, as `GET /api/v1/providers` names it. */
  provider: string;
  /** The provider's model; empty for its usual one. */
  model: string;
  /** Tokens read. */
  input_tokens: number;
  /** Tokens written. */
  output_tokens: number;
}

export interface CallUsageRealtime {
  /** The provider, as `GET /api/v1/providers` names it. */
  provider: string;
  /** The provider's model; empty for its usual one. */
  model: string;
  /** Audio, in milliseconds. */
  audio_ms: number;
  /** Tokens of audio heard. */
  input_audio_tokens: number;
  /** Tokens of text read. */
  input_text_tokens: number;
  /** Tokens of audio among those heard that came from a cache. */
  cached_audio_tokens: number;
  /** Tokens of text among those read that came from a cache. */
  cached_text_tokens: number;
  /** Tokens of audio spoken. */
  output_audio_tokens: number;
  /** Tokens of text written. */
  output_text_tokens: number;
}

export interface CallUsageStt {
  /** The provider, as `GET /api/v1/providers` names it. */
  provider: string;
  /** The provider's model; empty for its usual one. */
  model: string;
  /** Audio, in milliseconds. */
  audio_ms: number;
}

export interface CallUsageTts {
  /** The provider, as `GET /api/v1/providers` names it. */
  provider: string;
  /** The provider's model; empty for its usual one. */
  model: string;
  /** Characters spoken. */
  characters: number;
}

export interface CampaignAnalytics {
  /** The campaign. */
  campaign_id: string;
  /** Null for a campaign without labels: completed counts. */
  primary_outcome: string | null;
  /** From contacts to outcomes. */
  funnel: CampaignAnalyticsFunnel;
  /** Ended calls by outcome: a completed call's label (`completed` without one), else the call's status in lower case. */
  outcomes: CampaignAnalyticsOutcome[];
  /** Figures of the calls. */
  metrics: CampaignAnalyticsMetrics;
  /** The same over time. */
  time_series: CampaignAnalyticsTimeSeries;
}

export interface CampaignAnalyticsFunnel {
  /** How many contacts. */
  contacts: number;
  /** Contacts that were called at least once. */
  attempted: number;
  /** Contacts one of whose calls was answered. Answered: the call was connected (it reached IN_PROGRESS) and did not turn out to be a voicemail (VOICEMAIL). The same in overview, usage and campaign analytics. */
  answered: number;
  /** Contacts one of whose calls was completed. */
  completed: number;
  /** Contacts one of whose completed calls came to the primary outcome. */
  primary_outcome: number;
}

export interface CampaignAnalyticsMetrics {
  /** How many calls. */
  total_calls: number;
  /** How many calls ended in each status. */
  calls_by_status: Record<string, number>;
  /** Answered calls of those that are over; null without any. */
  answer_rate: number | null;
  /** Completed calls of those that are over; null without any. */
  completion_rate: number | null;
  /** Completed calls that came to the primary outcome, of the completed calls; null without any. */
  primary_outcome_rate: number | null;
  /** Average length of a call, in seconds; null without calls. */
  average_duration_seconds: number | null;
  /** Length of all calls together, in seconds. */
  total_duration_seconds: number;
  /** Average score of the outcomes; null without any. */
  average_outcome_score: number | null;
  /** Calls per contact that was called. */
  average_attempts: number | null;
}

export interface CampaignAnalyticsOutcome {
  /** The label of the outcome. */
  outcome: string;
  /** How many. */
  count: number;
}

export interface CampaignAnalyticsTimeSeries {
  /** The time between two points. */
  interval: 'hour' | 'day';
  /** The points, oldest first. */
  points: CampaignAnalyticsTimeSeriesPoint[];
}

export interface CampaignAnalyticsTimeSeriesPoint {
  /** When. */
  at: string;
  /** How many calls. */
  calls: number;
  /** Calls that a person answered. */
  answered: number;
  /** Calls that were completed. */
  completed: number;
  /** Calls with the primary outcome. */
  primary_outcome: number;
}

export interface CampaignCompletedEvent {
  /** The event. The same on every attempt and replay: drop what you have seen. */
  event_id: string;
  /** The event type. */
  event_type: 'campaign.completed';
  /** The tenant. */
  tenant_id: string;
  /** Whether it belongs to the sandbox rather than to production. */
  sandbox: boolean;
  /** Unix seconds. */
  occurred_at: number;
  /** What belongs to the event type. */
  data: CampaignCompletedEventData;
}

export interface CampaignCompletedEventData {
  /** The campaign. */
  campaign_id: string;
  /** How many contacts it has. */
  total_contacts: number;
  /** Contacts whose call was completed. */
  success_count: number;
  /** Contacts whose call failed for good. */
  failure_count: number;
  /** Contacts who never answered. */
  no_answer_count: number;
}

export interface CampaignContactCompletedEvent {
  /** The event. The same on every attempt and replay: drop what you have seen. */
  event_id: string;
  /** The event type. */
  event_type: 'campaign.contact.completed';
  /** The tenant. */
  tenant_id: string;
  /** Whether it belongs to the sandbox rather than to production. */
  sandbox: boolean;
  /** Unix seconds. */
  occurred_at: number;
  /** What belongs to the event type. */
  data: CampaignContactCompletedEventData;
}

export interface CampaignContactCompletedEventData {
  /** The campaign. */
  campaign_id: string;
  /** How many contacts it has. */
  total_contacts: number;
  /** The contact. */
  contact_id: string;
  /** The call. */
  call_id: string | null;
  /** The outcome label of the analysis; null where there is none. */
  outcome: string | null;
  /** How the call to the contact ended. */
  status: 'completed' | 'failed' | 'busy' | 'no_answer' | 'voicemail';
}

export interface CampaignContactCreate {
  /** E.164, or any usual notation; national numbers count as US. */
  phone: string;
  /** The first name. */
  first_name?: string | null;
  /** The last name. */
  last_name?: string | null;
  /** Custom fields; each is a variable of the calls. */
  contact_data?: Record<string, unknown>;
}

export interface CampaignContactListResponse {
  /** The contacts of this page. */
  contacts: CampaignContactResponse[];
  /** How many entries the filters let through. Only with `include_total=true`. */
  total?: number;
  /** Whether there are more than `total`: counting stops at 10,000. */
  total_is_capped?: boolean;
  /** Whether there are entries after this page. */
  has_more: boolean;
}

export interface CampaignContactResponse {
  /** Its id. */
  id: string;
  /** The campaign. */
  campaign_id: string;
  /** E.164; null once the contact is erased with its last call. */
  phone: string | null;
  /** The first name. */
  first_name: string | null;
  /** The last name. */
  last_name: string | null;
  /** Your own fields of the contact. */
  contact_data: Record<string, unknown>;
  /** Where it stands. */
  status: 'pending' | 'dialing' | 'in_progress' | 'completed' | 'failed' | 'busy' | 'no_answer' | 'voicemail' | 'skipped' | 'cancelled';
  /** How often it was dialled. */
  attempts: number;
  /** When a pending contact is called, where it waits for a retry, for its calling hours to open, for another live call with its number to end, or for the time that it was rescheduled to. */
  next_retry_at: string | null;
  /** The last call. */
  last_call_id: string | null;
  /** The outcome label of its last call, or how that call ended where there is none; known once the call's end is published. */
  last_outcome: string | null;
  /** Why it was not dialled; null when it was. */
  skip_reason: string | null;
  /** When it was created. */
  created_at: string;
  /** When it was last changed. */
  updated_at: string;
}

export interface CampaignCreate {
  /** What it is called. */
  name: string;
  /** The agent. */
  agent_id: string;
  /** A phone number's id. Without one: the number of the agent, or the tenant's first verified one. */
  caller_id?: string | null;
  /** What a call may end as. The first is the primary outcome: the one that the campaign is for. */
  outcome_labels?: string[];
  /** In words: when a call has reached its goal. */
  success_criteria?: string | null;
  /** JSON Schema of the data that is extracted from each call: an object, or just a map of its fields. What the model answers is held against it; every field may be null. Keywords: `$schema`, `$comment`, `title`, `description`, `default`, `examples`, `deprecated`, `readOnly`, `writeOnly`, `type`, `enum`, `const`, `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `multipleOf`, `minLength`, `maxLength`, `pattern`, `format`, `items`, `prefixItems`, `minItems`, `maxItems`, `uniqueItems`, `properties`, `required`, `additionalProperties`, `propertyNames`, `minProperties`, `maxProperties`, `anyOf`, `oneOf`, `allOf`, `$ref`, `$defs`, `definitions`; any other is refused, at every depth. `$ref` leads to `#/$defs/<name>` and never back to itself. `pattern` is in the syntax of RE2, without lookaround and back-references. Formats: date, date-time, time, duration, email, uri, uuid, ipv4, ipv6; others are hints. At most 32 KiB as JSON. */
  extraction_schema?: Record<string, unknown> | null;
  /** Calls at the same time, at most; never exceeded. */
  max_concurrent?: number;
  /** Calls begun a minute, on average. What an interruption cost is made up for at 120 % of it, as far back as a minute. Contacts whose calling hours are closed do not count. */
  calls_per_minute?: number;
  /** A start before this moment schedules the campaign. */
  scheduled_start?: string | null;
  /** Busy, no answer and failure are tried again after these delays, then final. */
  retry_policy?: RetryPolicyInput;
  /** The people that the campaign calls. */
  contacts: CampaignContactCreate[];
}

export interface CampaignCreateResponse {
  /** Its id. */
  id: string;
  /** The same as `id`. */
  campaign_id: string;
  /** What it is called. */
  name: string;
  /** Where it stands. */
  status: 'draft' | 'scheduled' | 'running' | 'paused' | 'completed' | 'cancelled';
  /** How many contacts it has. */
  total_contacts: number;
  /** Contacts that were left out because their number occurred before. */
  duplicate_count: number;
  /** The first 1,000. */
  duplicates: DuplicateContact[];
}

export interface CampaignCriteriaUpdate {
  /** What a call may end as. The first is the primary outcome: the one that the campaign is for. */
  outcome_labels?: string[];
  /** In words: when a call has reached its goal. */
  success_criteria?: string | null;
  /** JSON Schema of the data that is extracted from each call: an object, or just a map of its fields. What the model answers is held against it; every field may be null. Keywords: `$schema`, `$comment`, `title`, `description`, `default`, `examples`, `deprecated`, `readOnly`, `writeOnly`, `type`, `enum`, `const`, `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `multipleOf`, `minLength`, `maxLength`, `pattern`, `format`, `items`, `prefixItems`, `minItems`, `maxItems`, `uniqueItems`, `properties`, `required`, `additionalProperties`, `propertyNames`, `minProperties`, `maxProperties`, `anyOf`, `oneOf`, `allOf`, `$ref`, `$defs`, `definitions`; any other is refused, at every depth. `$ref` leads to `#/$defs/<name>` and never back to itself. `pattern` is in the syntax of RE2, without lookaround and back-references. Formats: date, date-time, time, duration, email, uri, uuid, ipv4, ipv6; others are hints. At most 32 KiB as JSON. */
  extraction_schema?: Record<string, unknown> | null;
}

export interface CampaignExtractedDataResponse {
  /** The rows of this page. */
  data: CampaignExtractedRow[];
  /** How many entries the filters let through. Only with `include_total=true`. */
  total?: number;
  /** Whether there are more than `total`: counting stops at 10,000. */
  total_is_capped?: boolean;
  /** Whether there are entries after this page. */
  has_more: boolean;
}

export interface CampaignExtractedRow {
  /** The call. */
  call_id: string;
  /** The contact. */
  contact_id: string | null;
  /** The number, in E.164. */
  phone: string | null;
  /** The first name. */
  first_name: string | null;
  /** The last name. */
  last_name: string | null;
  /** When it began; null before. */
  started_at: string;
  /** How long it took, in seconds. */
  duration_seconds: number;
  /** The label of the outcome; null as long as there is none. */
  outcome: string | null;
  /** How well the outcome fits, 0 to 1; null as long as there is none. */
  outcome_score: number | null;
  /** What happened, in a few sentences; null as long as there is none. */
  summary: string | null;
  /** The mood of the caller; null where it is not known. */
  sentiment: string | null;
  /** What was extracted by the extraction schema; null for nothing. */
  extracted_data: Record<string, unknown> | null;
}

export interface CampaignInsights {
  /** The campaign. */
  campaign_id: string;
  /** Empty while fewer than 20 analyses are complete. */
  insights: CampaignInsightsInsight[];
  /** `language_model`: written by the agent's model; `statistics`: counted, where the agent uses the local model, which writes no prose. Null while there are none. */
  source: 'language_model' | 'statistics' | null;
  /** Complete analyses at that time. */
  analyses: number;
  /** When it was made; null as long as there is none. */
  generated_at: string | null;
}

export interface CampaignInsightsInsight {
  /** One line that says it. */
  title: string;
  /** What it is, in words. */
  description: string;
  /** What to do about it. */
  recommendation: string;
  /** How much it matters. */
  severity: 'low' | 'medium' | 'high';
  /** Calls that show it. */
  call_ids: string[];
}

export interface CampaignListResponse {
  /** The campaigns of this page, newest first. */
  campaigns: CampaignSummary[];
  /** How many entries the filters let through. Only with `include_total=true`. */
  total?: number;
  /** Whether there are more than `total`: counting stops at 10,000. */
  total_is_capped?: boolean;
  /** Whether there are entries after this page. */
  has_more: boolean;
  /** Pass it as `cursor` to get the next page; null on the last one. */
  next_cursor: string | null;
}

export interface CampaignResponse {
  /** What it is called. */
  name: string;
  /** The agent. */
  agent_id: string;
  /** The number that is shown to the callee, by its id; null for the tenant’s first that may call. */
  caller_id: string | null;
  /** The outcomes that a call can have; the first is the primary one. */
  outcome_labels: string[];
  /** When a call counts as a success, in words. */
  success_criteria: string | null;
  /** JSON Schema of what is extracted from each call; null for nothing. */
  extraction_schema: Record<string, unknown> | null;
  /** Calls at the same time, at most. */
  max_concurrent: number;
  /** Calls placed a minute, at most. */
  calls_per_minute: number;
  /** When it begins by itself; null for when it is started. */
  scheduled_start: string | null;
  /** Busy, no answer and failure are tried again after these delays, then final. */
  retry_policy: RetryPolicy;
  /** Its id. */
  id: string;
  /** Where it stands. */
  status: 'draft' | 'scheduled' | 'running' | 'paused' | 'completed' | 'cancelled';
  /** Made with a sandbox key: it calls carrier test numbers only. */
  is_test: boolean;
  /** How many contacts it has. */
  total_contacts: number;
  /** Why a running campaign does not dial just now, for example `agent_inactive`. */
  waiting_reason: string | null;
  /** When it began; null before. */
  started_at: string | null;
  /** When it was over; null before. */
  completed_at: string | null;
  /** When it was created. */
  created_at: string;
  /** When it was last changed. */
  updated_at: string;
  /** The agent's, as they are now. */
  calling_hours: CallingHours;
  /** Contacts by status. */
  contact_counts: CampaignResponseContactCounts;
}

export interface CampaignResponseContactCounts {
  /** Contacts that wait to be dialled. */
  pending: number;
  /** Contacts that are being dialled. */
  dialing: number;
  /** Contacts that are in a call. */
  in_progress: number;
  /** Calls that were completed. */
  completed: number;
  /** Calls that failed. */
  failed: number;
  /** Contacts whose line was busy. */
  busy: number;
  /** Contacts who did not answer. */
  no_answer: number;
  /** Contacts whose voicemail answered. */
  voicemail: number;
  /** Contacts that the compliance gate did not allow. */
  skipped: number;
  /** Contacts that were not dialled any more when the campaign was cancelled. */
  cancelled: number;
}

export interface CampaignStartedEvent {
  /** The event. The same on every attempt and replay: drop what you have seen. */
  event_id: string;
  /** The event type. */
  event_type: 'campaign.started';
  /** The tenant. */
  tenant_id: string;
  /** Whether it belongs to the sandbox rather than to production. */
  sandbox: boolean;
  /** Unix seconds. */
  occurred_at: number;
  /** What belongs to the event type. */
  data: CampaignStartedEventData;
}

export interface CampaignStartedEventData {
  /** The campaign. */
  campaign_id: string;
  /** How many contacts it has. */
  total_contacts: number;
}

export interface CampaignSummary {
  /** What it is called. */
  name: string;
  /** The agent. */
  agent_id: string;
  /** The number that is shown to the callee, by its id; null for the tenant’s first that may call. */
  caller_id: string | null;
  /** The outcomes that a call can have; the first is the primary one. */
  outcome_labels: string[];
  /** When a call counts as a success, in words. */
  success_criteria: string | null;
  /** JSON Schema of what is extracted from each call; null for nothing. */
  extraction_schema: Record<string, unknown> | null;
  /** Calls at the same time, at most. */
  max_concurrent: number;
  /** Calls placed a minute, at most. */
  calls_per_minute: number;
  /** When it begins by itself; null for when it is started. */
  scheduled_start: string | null;
  /** Busy, no answer and failure are tried again after these delays, then final. */
  retry_policy: RetryPolicy;
  /** Its id. */
  id: string;
  /** Where it stands. */
  status: 'draft' | 'scheduled' | 'running' | 'paused' | 'completed' | 'cancelled';
  /** Made with a sandbox key: it calls carrier test numbers only. */
  is_test: boolean;
  /** How many contacts it has. */
  total_contacts: number;
  /** Why a running campaign does not dial just now, for example `agent_inactive`. */
  waiting_reason: string | null;
  /** When it began; null before. */
  started_at: string | null;
  /** When it was over; null before. */
  completed_at: string | null;
  /** When it was created. */
  created_at: string;
  /** When it was last changed. */
  updated_at: string;
}

export interface CampaignTransitionResponse {
  /** Its id. */
  id: string;
  /** The same as `id`. */
  campaign_id: string;
  /** Where it stands. */
  status: 'draft' | 'scheduled' | 'running' | 'paused' | 'completed' | 'cancelled';
  /** Where the campaign stood before. */
  previous_status: 'draft' | 'scheduled' | 'running' | 'paused' | 'completed' | 'cancelled';
}

export interface ChangedBy {
  /** The API key, or the session: `dashboard/…`, `identity/…`. */
  key_id: string;
  /** The person; null where a key does not say. */
  user_id: string | null;
}

export interface CheckoutRequest {
  /** Where the user goes afterwards; default: the dashboard. */
  success_url?: string;
  /** Where the payment provider leads back to when it is broken off. */
  cancel_url?: string;
  /** Of the deprecated checkout alone. */
  plan?: 'starter' | 'growth' | 'scale';
}

export interface CheckoutResponse {
  /** The session. */
  session_id: string;
  /** The payment provider's page to send the user to. */
  checkout_url: string;
  /** The same as `checkout_url`. */
  url: string;
}

export interface ClerkWebhookRequest {
  /** Which type it is. */
  type: string;
  /** What belongs to the event type. */
  data: Record<string, unknown>;
  [field: string]: unknown;
}

export interface ComplianceCheckListResponse {
  /** What each check found. */
  checks: ComplianceCheckSummary[];
  /** How many entries the filters let through. Only with `include_total=true`. */
  total?: number;
  /** Whether there are more than `total`: counting stops at 10,000. */
  total_is_capped?: boolean;
  /** Whether there are entries after this page. */
  has_more: boolean;
  /** Pass it as `cursor` to get the next page; null on the last one. */
  next_cursor: string | null;
}

export interface ComplianceCheckRequest {
  /** The number that would be called. */
  to_number: string;
  /** Binds the check to this caller ID. */
  from_number?: string;
  /** Judges the call of this agent: its calling hours, disclosure and recording. Without one, the number alone is judged, by the default hours (08:00 to 21:00). */
  agent_id?: string;
}

export interface ComplianceCheckResponse {
  /** Its id. */
  id: string;
  /** Whether the call may be placed. */
  decision: 'allowed' | 'denied';
  /** `do_not_call`; `outside_calling_hours` (see `next_open_at`); `no_calling_hours`: the agent has none; `region_unknown`: no hour is good in all places where the number may be; `concurrent_calls_limit`; `disclosure_missing`; `disclosure_names_no_ai`. */
  reasons: string[];
  /** What each check found. */
  checks: ComplianceCheckResponseChecks;
  /** Null once its call is erased. */
  to_number: string | null;
  /** The calling number, in E.164. */
  from_number: string | null;
  /** The agent. */
  agent_id: string | null;
  /** US state by the area code; null outside of the US and where the number does not show it. */
  state: string | null;
  /** The callee's, where it is one for sure. */
  timezone: string | null;
  /** Every zone in which the callee may be. The hours must be open in all of them. */
  timezones: string[];
  /** Whether everybody must consent to a recording; true where the state is not known. */
  requires_two_party_consent: boolean | null;
  /** What that makes of the recording of the call; null without an agent. */
  recording: 'off' | 'announced' | 'unannounced' | null;
  /** Outside of calling hours: when they open next. */
  next_open_at: string | null;
  /** What the decision was made from. */
  inputs: ComplianceCheckResponseInputs;
  /** When it was checked. */
  checked_at: string;
}

export interface ComplianceCheckResponseChecks {
  /** Of the do-not-call lists. */
  dnc: ComplianceCheckResponseChecksDnc;
  /** When the agent may call, by the day of the week. */
  calling_hours: ComplianceCheckResponseChecksCallingHours;
  /** Of the law on recording. */
  recording_consent: ComplianceCheckResponseChecksRecordingConsent;
  /** Of the calls that may be live at once. */
  capacity: ComplianceCheckResponseChecksCapacity;
  /** What says at the beginning that an AI speaks. */
  disclosure: ComplianceCheckResponseChecksDisclosure;
}

export interface ComplianceCheckResponseChecksCallingHours {
  /** `not_evaluated`: needs an agent to be judged; it counts neither as passed nor as failed. */
  outcome: 'passed' | 'failed' | 'not_evaluated';
  /** Why, in words. */
  reason: string | null;
}

export interface ComplianceCheckResponseChecksCapacity {
  /** `not_evaluated`: needs an agent to be judged; it counts neither as passed nor as failed. */
  outcome: 'passed' | 'failed' | 'not_evaluated';
  /** Why, in words. */
  reason: string | null;
}

export interface ComplianceCheckResponseChecksDisclosure {
  /** `not_evaluated`: needs an agent to be judged; it counts neither as passed nor as failed. */
  outcome: 'passed' | 'failed' | 'not_evaluated';
  /** Why, in words. */
  reason: string | null;
}

export interface ComplianceCheckResponseChecksDnc {
  /** `not_evaluated`: needs an agent to be judged; it counts neither as passed nor as failed. */
  outcome: 'passed' | 'failed' | 'not_evaluated';
  /** Why, in words. */
  reason: string | null;
}

export interface ComplianceCheckResponseChecksRecordingConsent {
  /** `not_evaluated`: needs an agent to be judged; it counts neither as passed nor as failed. */
  outcome: 'passed' | 'failed' | 'not_evaluated';
  /** Why, in words. */
  reason: string | null;
}

export interface ComplianceCheckResponseInputs {
  /** The time that was judged. */
  evaluated_at: string;
  /** What is known of the called number. */
  callee: ComplianceCheckResponseInputsCallee;
  /** What is known of the calling number; null without one. */
  caller: ComplianceCheckResponseInputsCaller | null;
  /** The do-not-call lists that the number is on. */
  listed_by: ('tenant' | 'operator')[];
  /** The agent's; without an agent the default ones. */
  calling_hours: CallingHours;
  /** The agent that is meant. */
  agent: ComplianceCheckResponseInputsAgent | null;
  /** Calls that are live now. */
  live_calls: number;
  /** Calls that may be live at once. */
  max_concurrent_calls: number;
}

export interface ComplianceCheckResponseInputsAgent {
  /** Its id. */
  id: string;
  /** What says at the beginning that an AI speaks. */
  disclosure: string | null;
  /** The language that the agent speaks, in BCP 47. */
  language: string;
  /** Whether and how calls are recorded. */
  recording: ComplianceCheckResponseInputsAgentRecording;
}

export interface ComplianceCheckResponseInputsAgentRecording {
  /** Whether it is done. */
  enabled: boolean;
  /** Whether the recording is announced. */
  announce: boolean;
}

export interface ComplianceCheckResponseInputsCallee {
  /** A carrier test number. */
  is_test: boolean;
  /** The state of the US, where it is known. */
  state: string | null;
  /** The time zones that the number can be in. */
  zones: string[];
}

export interface ComplianceCheckResponseInputsCaller {
  /** A carrier test number. */
  is_test: boolean;
  /** The state of the US, where it is known. */
  state: string | null;
  /** The time zones that the number can be in. */
  zones: string[];
}

export interface ComplianceCheckSummary {
  /** Its id. */
  id: string;
  /** Whether the call may be placed. */
  decision: 'allowed' | 'denied';
  /** `do_not_call`; `outside_calling_hours` (see `next_open_at`); `no_calling_hours`: the agent has none; `region_unknown`: no hour is good in all places where the number may be; `concurrent_calls_limit`; `disclosure_missing`; `disclosure_names_no_ai`. */
  reasons: string[];
  /** What each check found. */
  checks: ComplianceCheckSummaryChecks;
  /** Null once its call is erased. */
  to_number: string | null;
  /** The calling number, in E.164. */
  from_number: string | null;
  /** The agent. */
  agent_id: string | null;
  /** US state by the area code; null outside of the US and where the number does not show it. */
  state: string | null;
  /** The callee's, where it is one for sure. */
  timezone: string | null;
  /** Every zone in which the callee may be. The hours must be open in all of them. */
  timezones: string[];
  /** Whether everybody must consent to a recording; true where the state is not known. */
  requires_two_party_consent: boolean | null;
  /** What that makes of the recording of the call; null without an agent. */
  recording: 'off' | 'announced' | 'unannounced' | null;
  /** Outside of calling hours: when they open next. */
  next_open_at: string | null;
  /** When it was checked. */
  checked_at: string;
}

export interface ComplianceCheckSummaryChecks {
  /** Of the do-not-call lists. */
  dnc: ComplianceCheckSummaryChecksDnc;
  /** When the agent may call, by the day of the week. */
  calling_hours: ComplianceCheckSummaryChecksCallingHours;
  /** Of the law on recording. */
  recording_consent: ComplianceCheckSummaryChecksRecordingConsent;
  /** Of the calls that may be live at once. */
  capacity: ComplianceCheckSummaryChecksCapacity;
  /** What says at the beginning that an AI speaks. */
  disclosure: ComplianceCheckSummaryChecksDisclosure;
}

export interface ComplianceCheckSummaryChecksCallingHours {
  /** `not_evaluated`: needs an agent to be judged; it counts neither as passed nor as failed. */
  outcome: 'passed' | 'failed' | 'not_evaluated';
  /** Why, in words. */
  reason: string | null;
}

export interface ComplianceCheckSummaryChecksCapacity {
  /** `not_evaluated`: needs an agent to be judged; it counts neither as passed nor as failed. */
  outcome: 'passed' | 'failed' | 'not_evaluated';
  /** Why, in words. */
  reason: string | null;
}

export interface ComplianceCheckSummaryChecksDisclosure {
  /** `not_evaluated`: needs an agent to be judged; it counts neither as passed nor as failed. */
  outcome: 'passed' | 'failed' | 'not_evaluated';
  /** Why, in words. */
  reason: string | null;
}

export interface ComplianceCheckSummaryChecksDnc {
  /** `not_evaluated`: needs an agent to be judged; it counts neither as passed nor as failed. */
  outcome: 'passed' | 'failed' | 'not_evaluated';
  /** Why, in words. */
  reason: string | null;
}

export interface ComplianceCheckSummaryChecksRecordingConsent {
  /** `not_evaluated`: needs an agent to be judged; it counts neither as passed nor as failed. */
  outcome: 'passed' | 'failed' | 'not_evaluated';
  /** Why, in words. */
  reason: string | null;
}

export interface ConfirmRequest {
  /** The number, in E.164. */
  phone_number: string;
  /** The six digits that were sent. */
  code: string;
}

export interface ConfirmResponse {
  /** The number, in E.164. */
  phone_number: string;
  /** Where it stands. */
  status: 'approved';
  /** When the number was verified. */
  verified_at: string;
  /** The tenant's numbers that are verified by it. */
  phone_number_ids: string[];
  /** Whether the caller's user record was stamped; in the sandbox never. */
  user_verified: boolean;
}

export interface ConnectionHealth {
  /** The name in paths. */
  slug: string;
  /** Whether it is connected. */
  connected: boolean;
  /** `unknown`: connected, but the vendor cannot be asked without doing something. */
  health: 'healthy' | 'unhealthy' | 'unknown' | 'not_connected';
  /** The account's name at the vendor, where it gives one. */
  account: string | null;
  /** When it was checked. */
  checked_at: string;
  /** What was found, in words. */
  detail: string;
}

export interface ConnectResponse {
  /** Where the person consents. For a session of the dashboard it must be opened in the browser that got this answer: a cookie of the answer is needed when the vendor sends the person back. */
  redirect_url: string;
  /** From when on it no longer works. */
  expires_at: string;
}

export interface ContactRescheduleRequest {
  /** Strictly in the future. */
  next_retry_at: string;
}

export interface ContactsUpload {
  /** CSV in UTF-8 or UTF-16 with a header. Required column: `phone` (or `phone_number`); optional: `first_name`, `last_name`; any other becomes a field of `contact_data`. */
  file: string;
}

export interface CostPerMinute {
  /** USD, with at most 6 decimals. */
  stt: number;
  /** Language models, and speech-to-speech ones. */
  llm: number;
  /** USD, with at most 6 decimals. */
  tts: number;
  /** USD, with at most 6 decimals. */
  carrier: number;
  /** USD, with at most 6 decimals. */
  service: number;
  /** USD, with at most 6 decimals. */
  total: number;
}

export interface CSVUploadResponse {
  /** Its id. */
  id: string;
  /** The same as `id`. */
  campaign_id: string;
  /** What it is called. */
  name: string;
  /** Where it stands. */
  status: 'draft' | 'scheduled' | 'running' | 'paused' | 'completed' | 'cancelled';
  /** How many contacts it has. */
  total_contacts: number;
  /** Contacts that were left out because their number occurred before. */
  duplicate_count: number;
  /** The first 1,000. */
  duplicates: DuplicateContact[];
  /** Rows of the file, without its header and empty lines. */
  total_rows: number;
  /** Rows that were left out. */
  error_count: number;
  /** Rows that were left out, by their line in the file; the first 1,000. */
  errors: CSVUploadResponseError[];
}

export interface CSVUploadResponseError {
  /** The line of the file; the header is line 1. */
  line: number;
  /** What it is, for programs. */
  code: string;
  /** What is wrong, for people. */
  message: string;
}

export interface DayHours {
  /** From, as HH:MM. */
  start: string;
  /** Until, as HH:MM; `24:00` for the end of the day. */
  end: string;
}

export interface DayHoursInput {
  /** From, as HH:MM. */
  start: string;
  /** Until, as HH:MM; `24:00` for the end of the day. */
  end: string;
}

export interface DeliveryDetailResponse {
  /** Its id. */
  id: string;
  /** The subscription; null where there is none any more. */
  webhook_id: string;
  /** The event. The same on every attempt and replay: drop what you have seen. */
  event_id: string;
  /** The event type. */
  event_type: string;
  /** The address. */
  url: string;
  /** Which attempt this was, from 1. */
  attempt: number;
  /** Of this attempt. `failed` is followed by a row of the next attempt, unless it was the last; `skipped`: the subscription is gone or switched off. */
  status: 'pending' | 'succeeded' | 'failed' | 'skipped';
  /** Null when there was no answer. */
  response_status: number | null;
  /** What went wrong; null when nothing did. */
  error: string | null;
  /** The event itself, a replay, or a test. */
  origin: 'event' | 'replay' | 'test';
  /** When a pending attempt is due. */
  next_attempt_at: string | null;
  /** When it was created. */
  created_at: string;
  /** When the receiver took it; null before. */
  delivered_at: string | null;
  /** The very text that is sent and signed; null once its call was erased. */
  body: string | null;
}

export interface DeliveryResponse {
  /** Its id. */
  id: string;
  /** The subscription; null where there is none any more. */
  webhook_id: string;
  /** The event. The same on every attempt and replay: drop what you have seen. */
  event_id: string;
  /** The event type. */
  event_type: string;
  /** The address. */
  url: string;
  /** Which attempt this was, from 1. */
  attempt: number;
  /** Of this attempt. `failed` is followed by a row of the next attempt, unless it was the last; `skipped`: the subscription is gone or switched off. */
  status: 'pending' | 'succeeded' | 'failed' | 'skipped';
  /** Null when there was no answer. */
  response_status: number | null;
  /** Why the attempt failed; null when it did not. */
  error: string | null;
  /** The event itself, a replay, or a test. */
  origin: 'event' | 'replay' | 'test';
  /** When a pending attempt is due. */
  next_attempt_at: string | null;
  /** When it was created. */
  created_at: string;
  /** When the receiver took it; null before. */
  delivered_at: string | null;
}

export interface Disclosure {
  /** Discloses that an AI speaks. Without one, the compliance gate denies outbound calls. */
  text: string;
  /** Where it is said. */
  position: 'before_first_message';
}

export interface DisclosureInput {
  /** Discloses that an AI speaks. Without one, the compliance gate denies outbound calls. */
  text?: string;
  /** Where it is said. */
  position?: 'before_first_message';
}

export interface DisconnectResponse {
  /** The name in paths. */
  slug: string;
  /** Whether it is connected. */
  connected: false;
  /** `pending`: the vendor has not taken the tokens back, and is asked again for some hours. `not_offered`: keys and webhook URLs are revoked by their owner. */
  revocation: 'revoked' | 'pending' | 'not_offered';
}

export interface DncEntryCreate {
  /** The number, in E.164. */
  phone_number: string;
  /** Your own words on why. */
  note?: string;
}

export interface DncEntryResponse {
  /** Its id. */
  id: string;
  /** The number, in E.164. */
  phone_number: string;
  /** `api`: added by request; `import`: by a file; `opt_out`: its owner asked for it in a call. */
  source: 'api' | 'import' | 'opt_out';
  /** A remark, for people. */
  note: string | null;
  /** The call in which its owner asked not to be called. */
  call_id: string | null;
  /** The owner's words in that call. */
  quote: string | null;
  /** When it was created. */
  created_at: string;
}

export interface DncImportResponse {
  /** Rows of the file but for its header. */
  rows: number;
  /** Numbers that were not on the list before. */
  added: number;
  /** Numbers that were; their entries stay as they are. */
  already_listed: number;
  /** Rows that were left out. */
  error_count: number;
  /** The first 1,000 rows that were left out. */
  errors: DncImportResponseError[];
}

export interface DncImportResponseError {
  /** The line of the file; the header is line 1. */
  line: number;
  /** What it is, for programs. */
  code: string;
  /** What is wrong, for people. */
  message: string;
}

export interface DncImportUpload {
  /** CSV in UTF-8 or UTF-16, at most 100,000 rows: with a header that names a column `phone`, `phone_number`, `number` or `telephone`, or without one and the numbers first. */
  file: string;
}

export interface DncListResponse {
  /** The entries of this page, newest first. */
  entries: DncEntryResponse[];
  /** How many entries the filters let through. Only with `include_total=true`. */
  total?: number;
  /** Whether there are more than `total`: counting stops at 10,000. */
  total_is_capped?: boolean;
  /** Whether there are entries after this page. */
  has_more: boolean;
  /** Pass it as `cursor` to get the next page; null on the last one. */
  next_cursor: string | null;
}

export interface DuplicateContact {
  /** The line of the file, or the place in `contacts` counted from 1. */
  line: number;
  /** The line on which it stood first. */
  first_line: number;
  /** The number, in E.164. */
  phone: string;
}

export type EndReason = 'caller_hangup' | 'agent_hangup' | 'operator_hangup' | 'transferred' | 'silence_timeout' | 'max_duration' | 'voicemail' | 'busy' | 'no_answer' | 'rejected' | 'carrier_failed' | 'provider_failed' | 'worker_lost' | 'no_capacity';

export interface ErrorResponse {
  /** What went wrong, for people. */
  detail: string;
  /** What went wrong, for programs: stable, snake_case. */
  code: string;
  /** Quote it when you ask for help. */
  request_id: string;
  [field: string]: unknown;
}

export interface EventCatalogResponse {
  /** Every public event type. */
  event_types: EventCatalogResponseEventType[];
}

export interface EventCatalogResponseEventType {
  /** The event type. */
  event_type: string;
  /** What it is, in words. */
  description: string;
  /** JSON Schema of the body that is sent. */
  json_schema: Record<string, unknown>;
  /** A body as it is sent. */
  example: Record<string, unknown>;
}

export interface EventListResponse {
  /** The timeline, oldest first. */
  events: EventResponse[];
  /** Whether there are entries after this page. */
  has_more: boolean;
  /** Pass it as `cursor` to get the next page; null on the last one. */
  next_cursor: string | null;
}

export interface EventResponse {
  /** Its id. */
  id: string;
  /** The event type. */
  event_type: string;
  /** The call that it is of; null for what is of no call. */
  call_id: string | null;
  /** The very text that receivers are sent. */
  body: string;
  /** When it was created. */
  created_at: string;
}

export interface ExpectedLatency {
  /** From the end of the caller's speech to the agent's first sound, where the words sound finished; the median. */
  response_latency_ms: number;
  /** The same where the longest pause (`max_endpointing_ms`) is waited for. */
  in_doubt_latency_ms: number;
  /** Whether it will be more: a part is not known, or is a vendor's figure without the network. */
  is_at_least: boolean;
  /** `measured`: of its calls with these providers, models and turn-taking. `composed`: the sum of the parts. */
  basis: 'measured' | 'composed';
  /** Turns of its own calls, with these providers and models, that were looked at. */
  turns: number;
  /** The stages; what they add makes the composed sum. */
  parts: LatencyPart[];
}

export interface FallbackVoiceConfig {
  /** The speech recogniser. */
  stt?: ProviderChoice;
  /** The language model. */
  llm?: ProviderChoice;
  /** The voice. */
  tts?: ProviderChoice;
}

export interface FallbackVoiceConfigInput {
  /** The speech recogniser. */
  stt?: ProviderChoiceInput;
  /** The language model. */
  llm?: ProviderChoiceInput;
  /** The voice. */
  tts?: ProviderChoiceInput;
}

export interface GenerateCriteriaRequest {
  /** What the campaign is for, in words. */
  goal: string;
}

export interface GenerateCriteriaResponse {
  /** The first is the primary outcome. */
  outcome_labels: string[];
  /** When a call counts as a success, in words. */
  success_criteria: string;
  /** JSON Schema of what is extracted from each call; null for nothing. */
  extraction_schema: Record<string, unknown>;
  /** `defaults` when no model could answer. */
  source: 'model' | 'defaults';
}

export interface HandoffTarget {
  /** The agent. */
  agent_id: string;
  /** What it is called. */
  name: string;
  /** What it is, in words. */
  description: string;
}

export interface HandoffTargetInput {
  /** The agent. */
  agent_id: string;
  /** What it is called. */
  name: string;
  /** What it is, in words. */
  description?: string;
}

export interface HangupRequest {
  /** Why, in words. */
  reason?: string;
}

export interface HangupResponse {
  /** The call. */
  call_id: string;
  /** Where it stands. */
  status: 'hanging_up' | 'already_ended';
}

export interface HTTPValidationError {
  /** Every mistake of the request. */
  detail: HTTPValidationErrorDetailItem[];
  /** Always `validation_error`. */
  code: 'validation_error';
  /** Quote it when you ask for help. */
  request_id: string;
}

export interface HTTPValidationErrorDetailItem {
  /** Place: path, query, body or header, then the field. */
  loc: (string | number)[];
  /** What is wrong there, for people. */
  msg: string;
  /** Which type it is. */
  type: string;
}

export interface IceServer {
  /** The addresses of the server. */
  urls: string | string[];
  /** The user at the server. */
  username?: string;
  /** The password at the server. */
  credential?: string;
}

export interface IceServerInput {
  /** The addresses of the server. */
  urls: string | string[];
  /** The user at the server. */
  username?: string;
  /** The password at the server. */
  credential?: string;
}

export interface ImportNumberRequest {
  /** A number that the tenant has; dialing with it needs a verification. */
  phone_number: string;
  /** With a sandbox key the simulated carrier stands for whichever is named; `simulated` itself is for sandbox keys alone. */
  provider?: 'twilio' | 'telnyx' | 'plivo' | 'simulated';
}

export interface IntegrationInfo {
  /** The name in paths. */
  slug: string;
  /** What it is called. */
  name: string;
  /** What it is, in words. */
  description: string;
  /** Whether `connect` or `api-key-connect` connects it. */
  connection_kind: 'oauth' | 'api_key';
  /** Whether this installation can connect it. */
  available: boolean;
  /** What `api-key-connect` needs. */
  fields: IntegrationInfoField[];
  /** Where it stands. */
  status: 'connected' | 'not_connected' | 'reconnect_needed';
  /** Whether it is connected. */
  connected: boolean;
  /** Whose account it is, as the vendor says. */
  account: string | null;
  /** Since when; null when it is not connected. */
  connected_at: string | null;
  /** The settings of the connection. */
  config: Record<string, unknown>;
  /** What `config` may say. */
  config_hint: string;
  /** What agents' tools of the type `integration` may do. */
  actions: IntegrationInfoAction[];
}

export interface IntegrationInfoAction {
  /** What it is called. */
  name: string;
  /** What it is, in words. */
  description: string;
  /** JSON Schema. */
  parameters: Record<string, unknown>;
}

export interface IntegrationInfoField {
  /** What it is called. */
  name: string;
  /** What it is, in words. */
  description: string;
}

export interface InvitationCreate {
  /** What the person is called here. */
  name: string;
  /** Shown to members; nothing is sent to it. */
  email?: string | null;
  /** `viewer` reads; `operator` also runs calls, campaigns and the do-not-call list; `developer` also agents, numbers, webhooks, integrations and keys; `owner` also members, settings and billing. */
  role: 'viewer' | 'operator' | 'developer' | 'owner';
}

export interface InvitationCreateResponse {
  /** Its id. */
  id: string;
  /** What the person is called here. */
  name: string;
  /** Their address; null where nobody said. */
  email: string | null;
  /** `viewer` reads; `operator` also runs calls, campaigns and the do-not-call list; `developer` also agents, numbers, webhooks, integrations and keys; `owner` also members, settings and billing. */
  role: 'viewer' | 'operator' | 'developer' | 'owner';
  /** When it was created. */
  created_at: string;
  /** From when on it no longer works. */
  expires_at: string;
  /** Accepts the invitation and signs in, once. Shown here and never again. */
  url: string;
}

export interface InvitationListResponse {
  /** Those that can still be accepted, the newest first. */
  invitations: InvitationResponse[];
  /** Whether there are entries after this page. */
  has_more: boolean;
  /** Pass it as `cursor` to get the next page; null on the last one. */
  next_cursor: string | null;
}

export interface InvitationResponse {
  /** Its id. */
  id: string;
  /** What the person is called here. */
  name: string;
  /** Their address; null where nobody said. */
  email: string | null;
  /** `viewer` reads; `operator` also runs calls, campaigns and the do-not-call list; `developer` also agents, numbers, webhooks, integrations and keys; `owner` also members, settings and billing. */
  role: 'viewer' | 'operator' | 'developer' | 'owner';
  /** When it was created. */
  created_at: string;
  /** From when on it no longer works. */
  expires_at: string;
}

export interface KnownModel {
  /** The beginning of the names; empty: the only model. */
  family: string;
  /** What the models can do beyond the least. */
  capabilities: string[];
  /** ISO 639 codes, as the vendor lists them; null where it names none. */
  languages: string[] | null;
  /** What `params` may hold for these models, as a JSON Schema. */
  params_schema: Record<string, unknown>;
}

export interface LatencyPart {
  /** What of the answer it is, in the order of time. */
  stage: 'end_of_turn' | 'recognition' | 'model' | 'voice' | 'speech_to_speech' | 'runtime';
  /** Null where nobody has said. */
  takes_ms: number | null;
  /** What of it the caller waits for: stages overlap, and an answer may be begun early. */
  adds_ms: number;
  /** `settings`: the agent's own. `own_calls`: measured in its calls. `platform`: measured by the maker of this service. `vendor`: the vendor's word, without the network. */
  source: 'settings' | 'own_calls' | 'platform' | 'vendor' | 'unknown';
  /** Where it comes from, for people. */
  basis: string;
}

export interface LatencyPercentiles {
  /** How many of the agents’ answers were measured. */
  turns: number;
  /** The median. */
  p50: number | null;
  /** What 95 of 100 are below. */
  p95: number | null;
  /** What 99 of 100 are below. */
  p99: number | null;
}

export interface LineStatistics {
  /** Packets received. */
  packets_received: number;
  /** Packets lost on the way. */
  packets_lost: number;
  /** Frames of audio that were made up for lost ones. */
  concealed_frames: number;
  /** Jitter of the network, in milliseconds. */
  jitter_ms: number;
  /** How long packets are kept to even it out, in milliseconds. */
  buffer_ms: number;
  /** Round trip of the network, in milliseconds; null where it is not known. */
  round_trip_ms: number | null;
  /** Bits sent a second. */
  sent_bits_per_second: number;
  /** Bits received a second. */
  received_bits_per_second: number;
}

export interface ListPrice {
  /** The month in which the list was read. */
  as_of: string;
  /** The list. */
  source_url: string;
  /** What the prices are of. */
  unit: string;
}

export interface LiveLinkResponse {
  /** For `EventSource`: the events. */
  live_url: string;
  /** For `WebSocket`: the audio. Add `&channels=stereo` for two channels. */
  listen_url: string;
  /** Open them until then; what is open goes on. */
  expires_at: string;
}

export interface MeasuredCalls {
  /** How many of its last 50 completed calls are charged. */
  calls: number;
  /** Of those calls together; null where they cost nothing, as in the sandbox. */
  cost_per_minute: number | null;
  /** From the end of the caller's speech to the agent's first sound; null where it never answered. */
  response_latency_ms: MeasuredLatency;
}

export interface MeasuredLatency {
  /** The median. */
  p50: number | null;
  /** What 95 of 100 are below. */
  p95: number | null;
}

export interface MemberListResponse {
  /** Who came last first. */
  members: MemberResponse[];
  /** How many entries the filters let through. Only with `include_total=true`. */
  total?: number;
  /** Whether there are more than `total`: counting stops at 10,000. */
  total_is_capped?: boolean;
  /** Whether there are entries after this page. */
  has_more: boolean;
  /** Pass it as `cursor` to get the next page; null on the last one. */
  next_cursor: string | null;
}

export interface MemberLoginLinkResponse {
  /** Signs the member in, once. Give it to nobody else. */
  url: string;
  /** From when on it no longer works. */
  expires_at: string;
}

export interface MemberResponse {
  /** Its id. */
  id: string;
  /** What the person is called here; null where nobody said. */
  name: string | null;
  /** Their address; null where nobody said. */
  email: string | null;
  /** `viewer` reads; `operator` also runs calls, campaigns and the do-not-call list; `developer` also agents, numbers, webhooks, integrations and keys; `owner` also members, settings and billing. */
  role: 'viewer' | 'operator' | 'developer' | 'owner';
  /** Since when they are a member. */
  created_at: string;
  /** When they were signed in last, to five minutes; null for never. */
  last_seen_at: string | null;
}

export interface MemberUpdate {
  /** `viewer` reads; `operator` also runs calls, campaigns and the do-not-call list; `developer` also agents, numbers, webhooks, integrations and keys; `owner` also members, settings and billing. */
  role?: 'viewer' | 'operator' | 'developer' | 'owner';
  /** What the person is called here. */
  name?: string;
}

export interface NudgePreset {
  /** Given by the service where it is left out. */
  id?: string;
  /** What operators see. */
  label: string;
  /** The words. */
  text: string;
}

export interface NudgePresetInput {
  /** Given by the service where it is left out. */
  id?: string;
  /** What operators see. */
  label: string;
  /** The words. */
  text: string;
}

export interface NudgePresetsResponse {
  /** The agent. */
  agent_id: string;
  /** The presets, in their order. */
  presets: StoredNudgePreset[];
}

export interface NudgeRequest {
  /** A nudge preset of the call's agent. */
  preset_id: string;
}

export interface OfferTestSessionResponse {
  /** The SDP, as the browser or the media worker made it. */
  sdp: string;
  /** Which type it is. */
  type: 'answer';
  /** Names the connection in later offers. */
  pc_id: string;
  [field: string]: unknown;
}

export interface OperatorAction {
  /** Its id. */
  id: string;
  /** The call. */
  call_id: string;
  /** The integration's action. */
  action: 'whisper' | 'nudge' | 'transfer' | 'hangup' | 'pause_recording' | 'resume_recording' | 'erase';
  /** The credential that asked for it. */
  api_key_id: string;
  /** Who asked for it; null in rows from before it was kept. */
  actor: Actor | null;
  /** What was asked for. */
  details: Record<string, unknown>;
  /** `requested`: written before the command left; what became of it is not known. */
  status: 'requested' | 'carried_out' | 'failed';
  /** What went wrong, for programs; null when nothing did. */
  error_code: string | null;
  /** When it was created. */
  created_at: string;
  /** When it was over; null before. */
  completed_at: string | null;
}

export interface OperatorActionAccepted {
  /** The call. */
  call_id: string;
  /** The row in the call's operator actions. */
  action_id: string;
  /** Where it stands. */
  status: 'accepted';
}

export interface OperatorActionListResponse {
  /** All of them, newest first. */
  operator_actions: OperatorAction[];
  /** How many there are in all. */
  total: number;
  /** Whether there are entries after this page. */
  has_more: false;
  /** Always null: the list comes whole. */
  next_cursor: string | null;
}

export interface OverviewResponse {
  /** Whether these are the calls of sandbox keys. */
  sandbox: boolean;
  /** Calls that were created in these days, in UTC. */
  period: OverviewResponsePeriod;
  /** The sums. */
  totals: OverviewResponseTotals;
  /** How many calls are in each status. */
  by_status: CallsByStatus;
  /** Oldest first; days without calls too. */
  by_day: OverviewResponseByDayItem[];
  /** Answered calls of those that are over; null without any. */
  answer_rate: number | null;
  /** Completed calls of those that are over; null without any. */
  completion_rate: number | null;
  /** Of answered calls that are over; null without any. */
  average_duration_ms: number | null;
  /** From the end of the caller's speech to the agent's first sound, over the period's calls; at most 0.8 % too low. */
  response_latency_ms: OverviewResponseResponseLatencyMs;
  /** Campaigns' calls by the campaign's primary outcome: the first entry of its `outcome_labels`. A campaign without labels counts under `Completed`, by its completed calls. */
  primary_outcomes: OverviewResponsePrimaryOutcome[];
  /** The 100 campaigns with the most calls. */
  campaigns: OverviewResponseCampaign[];
}

export interface OverviewResponseByDayItem {
  /** The day, in UTC. */
  date: string;
  /** How many calls. */
  calls: number;
  /** Answered: the call was connected (it reached IN_PROGRESS) and did not turn out to be a voicemail (VOICEMAIL). The same in overview, usage and campaign analytics. */
  answered: number;
  /** Calls that were completed. */
  completed: number;
  /** Calls that failed. */
  failed: number;
  /** How long it took, in milliseconds. */
  duration_ms: number;
  /** USD, with at most 6 decimals. */
  cost_usd: number;
}

export interface OverviewResponseCampaign {
  /** The campaign. */
  campaign_id: string;
  /** What it is called. */
  name: string;
  /** Where it stands. */
  status: string;
  /** The outcome that the campaign is after. */
  primary_outcome: string;
  /** How many calls. */
  calls: number;
  /** Completed calls that came to the primary outcome. */
  primary_outcome_count: number;
  /** `primary_outcome_count` of its completed calls; null without any. */
  primary_outcome_rate: number | null;
}

export interface OverviewResponsePeriod {
  /** The beginning. */
  start: string;
  /** Inclusive. */
  end: string;
  /** How many days are covered. */
  days: number;
}

export interface OverviewResponsePrimaryOutcome {
  /** The label of the outcome. */
  outcome: string;
  /** The campaigns of this page, newest first. */
  campaigns: number;
  /** How many calls. */
  calls: number;
  /** Completed calls that came to this outcome. */
  count: number;
}

export interface OverviewResponseResponseLatencyMs {
  /** The median. */
  p50: number | null;
  /** What 95 of 100 are below. */
  p95: number | null;
}

export interface OverviewResponseTotals {
  /** How many calls. */
  calls: number;
  /** Answered: the call was connected (it reached IN_PROGRESS) and did not turn out to be a voicemail (VOICEMAIL). The same in overview, usage and campaign analytics. */
  answered: number;
  /** Calls that were completed. */
  completed: number;
  /** Calls that failed. */
  failed: number;
  /** How long it took, in milliseconds. */
  duration_ms: number;
  /** USD, with at most 6 decimals. */
  cost_usd: number;
  /** Of these calls, how many are not over yet. */
  live: number;
}

export interface PhoneNumberListResponse {
  /** All of them, newest first. */
  phone_numbers: PhoneNumberResponse[];
  /** How many there are in all. */
  total: number;
  /** Whether there are entries after this page. */
  has_more: false;
  /** Always null: the list comes whole. */
  next_cursor: string | null;
}

export interface PhoneNumberResponse {
  /** Its id. */
  id: string;
  /** The number, in E.164. */
  phone_number: string;
  /** The same as `phone_number`. */
  number: string;
  /** The provider, as `GET /api/v1/providers` names it. */
  provider: 'twilio' | 'telnyx' | 'plivo' | 'simulated';
  /** Where it comes from. */
  source: 'purchased' | 'imported' | 'sandbox';
  /** The agent. */
  agent_id: string | null;
  /** Since when calls may show it; null as long as they may not. */
  caller_id_verified_at: string | null;
  /** STIR/SHAKEN; null: unknown, which is no refusal. Numbers attested B or C are not dialed with. */
  attestation: 'A' | 'B' | 'C' | null;
  /** Who has said so: `purchase`, the `carrier` of a call made from the number, the signalling of an `inbound` call from it, or the `operator`. */
  attestation_source: 'purchase' | 'carrier' | 'inbound' | 'operator' | null;
  /** Whether it belongs to the sandbox rather than to production. */
  sandbox: boolean;
  /** When it was created. */
  created_at: string;
}

export type PipelineType = 'cascaded' | 'realtime';

export interface PortalResponse {
  /** The payment provider's page to send the user to; short-lived. */
  portal_url: string;
  /** The same as `portal_url`. */
  url: string;
}

export interface ProviderChoice {
  /** The provider, as `GET /api/v1/providers` names it. */
  provider: string;
  /** The provider's model; empty for its usual one. */
  model: string;
  /** The provider's own parameters; an OpenAI-compatible server is `base_url`. */
  params: Record<string, unknown>;
}

export interface ProviderChoiceInput {
  /** The provider, as `GET /api/v1/providers` names it. */
  provider: string;
  /** The provider's model; empty for its usual one. */
  model?: string;
  /** The provider's own parameters; an OpenAI-compatible server is `base_url`. */
  params?: Record<string, unknown>;
}

export interface ProviderListResponse {
  /** What can be named in a voice configuration. */
  providers: ProviderListResponseProvider[];
  /** Whether there are entries after this page. */
  has_more: false;
  /** Always null: the list comes whole. */
  next_cursor: string | null;
}

export interface ProviderListResponseProvider {
  /** Which kind it is. */
  kind: 'stt' | 'llm' | 'tts' | 'realtime';
  /** The provider, as `GET /api/v1/providers` names it. */
  provider: string;
  /** Beginnings of model names; null for any model. */
  models: string[] | null;
  /** What an empty model means; null where there is but one. */
  default_model: string | null;
  /** What is known of the models; where any model is taken, not all that there are. */
  known_models: KnownModel[];
  /** What `params` may hold, as a JSON Schema: for most models. Others have no effect. */
  params_schema: Record<string, unknown>;
  /** The price list by which usage is charged; null for what costs nothing. */
  list_price: ListPrice | null;
  /** A remark, for people. */
  note: string;
  /** Whether agents of yours without a key of their own can use it in this installation. */
  configured: boolean;
  /** Whose key they then use; null where there is none, or none is needed. */
  account: 'tenant' | 'installation' | null;
  /** The variables that hold its key and its address. */
  environment: string[];
  /** Of `local` recognisers and voices: the model that is installed; null without one. */
  model_in_use: string | null;
  /** Whether an agent that names no provider of this kind gets this one. */
  is_default: boolean;
}

export interface ProvisionRequest {
  /** The number, in E.164. */
  phone_number: string;
  /** With a sandbox key the simulated carrier stands for whichever is named; `simulated` itself is for sandbox keys alone. */
  provider?: 'twilio' | 'telnyx' | 'plivo' | 'simulated';
}

export interface RecordingReadyEvent {
  /** The event. The same on every attempt and replay: drop what you have seen. */
  event_id: string;
  /** The event type. */
  event_type: 'recording.ready';
  /** The tenant. */
  tenant_id: string;
  /** Whether it belongs to the sandbox rather than to production. */
  sandbox: boolean;
  /** Unix seconds. */
  occurred_at: number;
  /** What belongs to the event type. */
  data: RecordingReadyEventData;
}

export interface RecordingReadyEventData {
  /** The call. */
  call_id: string;
  /** The agent. */
  agent_id: string;
  /** Who called: `inbound` for calls to the agent, `outbound` for calls by it. */
  direction: CallDirection;
  /** The calling number, in E.164. */
  from: string;
  /** The called number, in E.164. */
  to: string;
  /** Who spoke from when on; only where the call was handed from one agent to another. */
  agents?: CallSpeaker[];
  /** Where the recording is. */
  recording_url: string;
  /** When `recording_url` stops to open (RFC 3339). `GET /api/v1/calls/{id}/recording` makes a fresh one. */
  recording_url_expires_at: string;
  /** How long it took, in milliseconds. */
  duration_ms: number;
}

export interface RecordingSettings {
  /** Whether it is done. */
  enabled: boolean;
  /** Whether the recording is announced. */
  announce: boolean;
  /** By what words, in the agent's language, the recording is announced. */
  announcement: string;
}

export interface RecordingSettingsInput {
  /** Whether it is done. */
  enabled?: boolean;
  /** Whether the recording is announced. */
  announce?: boolean;
  /** By what words, in the agent's language, the recording is announced. */
  announcement?: string;
}

export interface RecordingUrlResponse {
  /** Where the recording is. */
  recording_url: string;
  /** The same as `recording_url`. */
  url: string;
  /** From when on it no longer works. */
  expires_at: string;
  /** How long it took, in milliseconds. */
  duration_ms: number | null;
}

/** Counted from the creation of each call, in both modes. */
export interface RetentionSettings {
  /** Days after which recordings are erased; null: never. */
  recordings_days: number | null;
  /** Days after which what was said is erased: transcript, tool inputs and outputs, decision log, what operators wrote. Summary, outcome and extracted data stay. Null: never. */
  transcripts_days: number | null;
  /** Days after which calls are erased as by `DELETE /api/v1/calls/{call_id}`; null: never. */
  calls_days: number | null;
}

export interface RetryPolicy {
  /** Calls per contact, the first included; those that end before anything is dialed do not count. */
  max_attempts: number;
  /** How long to wait after a busy line, in seconds. */
  busy_delay_seconds: number;
  /** How long to wait after nobody answered, in seconds. */
  no_answer_delay_seconds: number;
  /** How long to wait after a failed call, in seconds. */
  failed_delay_seconds: number;
}

export interface RetryPolicyInput {
  /** Calls per contact, the first included; those that end before anything is dialed do not count. */
  max_attempts?: number;
  /** How long to wait after a busy line, in seconds. */
  busy_delay_seconds?: number;
  /** How long to wait after nobody answered, in seconds. */
  no_answer_delay_seconds?: number;
  /** How long to wait after a failed call, in seconds. */
  failed_delay_seconds?: number;
}

export interface ScorecardCriterion {
  /** What it is called. */
  name: string;
  /** What it is, in words. */
  description: string;
  /** How much it counts among the others. */
  weight: number;
}

export interface ScorecardCriterionInput {
  /** What it is called. */
  name: string;
  /** What it is, in words. */
  description?: string;
  /** How much it counts among the others. */
  weight?: number;
}

export interface SdpOffer {
  /** A session description (RFC 8866) with one audio section that offers Opus. */
  sdp: string;
  /** Only offers are taken. */
  type: 'offer';
  /** Of an earlier answer: renegotiates that connection, for example to restart ICE. Left out: a new one. */
  pc_id?: string;
  /** The connection is made anew, and the conversation goes on. */
  restart_pc?: boolean;
  /** The installation's own when absent. */
  ice_servers?: IceServerInput[];
}

export interface SettingsResponse {
  /** How long what a call leaves is kept. */
  retention: RetentionSettings;
}

export interface SettingsUpdate {
  /** How long what a call leaves is kept; what is left out stays as it is. */
  retention?: SettingsUpdateRetention;
}

export interface SettingsUpdateRetention {
  /** Days after which recordings are erased; null: never. */
  recordings_days?: number | null;
  /** Days after which what was said is erased: transcript, tool inputs and outputs, decision log, what operators wrote. Summary, outcome and extracted data stay. Null: never. */
  transcripts_days?: number | null;
  /** Days after which calls are erased as by `DELETE /api/v1/calls/{call_id}`; null: never. */
  calls_days?: number | null;
}

export interface StagePercentiles {
  /** From the last word to the decision that the turn is over, in milliseconds. */
  end_of_turn_delay_ms: number | null;
  /** Until the final transcript, in milliseconds. */
  stt_final_ms: number | null;
  /** Until the model's first token, in milliseconds. */
  llm_first_token_ms: number | null;
  /** Until the voice's first audio, in milliseconds. */
  tts_first_audio_ms: number | null;
  /** From the last word to the first audio of the answer, in milliseconds. */
  response_latency_ms: number | null;
  /** From the interruption to silence, in milliseconds. */
  barge_in_latency_ms: number | null;
  /** The same, measured in the recording after the call: from the caller's last sound to the agent's first. */
  waveform_response_latency_ms: number | null;
  /** The same, measured in the recording after the call: from the caller's first sound to the agent's last. */
  waveform_barge_in_latency_ms: number | null;
}

export interface StartRequest {
  /** The number, in E.164. */
  phone_number: string;
  /** How the code is sent. */
  channel?: 'sms' | 'voice';
}

export interface StartResponse {
  /** The number, in E.164. */
  phone_number: string;
  /** How the code is sent. */
  channel: 'sms' | 'voice';
  /** Where it stands. */
  status: 'pending';
  /** From when on it no longer works. */
  expires_at: string;
}

export interface StoredNudgePreset {
  /** Its id. */
  id: string;
  /** What operators see. */
  label: string;
  /** The words. */
  text: string;
}

export interface TestCallRequest {
  /** The agent. */
  agent_id: string;
  /** Needed with a production key; with a sandbox key the test person who talks is the default. */
  to_number?: string;
  /** Default: a verified number of the tenant. */
  from_number?: string;
  /** Rendered into prompt and first message as `{{name}}`; a name that is missing becomes nothing. */
  variables?: Record<string, string | number | boolean>;
}

export interface TestFireRequest {
  /** The event type. */
  event_type: 'call.started' | 'call.completed' | 'call.failed' | 'call.hangup' | 'call.transferred' | 'transcript.ready' | 'recording.ready' | 'analysis.ready' | 'campaign.started' | 'campaign.completed' | 'campaign.contact.completed' | 'agent.activated' | 'agent.deactivated' | 'usage.credit_exhausted' | 'usage.daily_cap_approaching';
  /** The event's `data`. Default: the example of the catalog. */
  payload?: Record<string, unknown>;
}

export interface TestSessionPending {
  /** The session. */
  session_id: string;
  /** Where it stands. */
  status: 'in_progress' | 'analyzing';
}

export interface TestSessionResult {
  /** The session. */
  session_id: string;
  /** The agent. */
  agent_id: string;
  /** Which kind it is. */
  kind: 'text' | 'websocket' | 'webrtc';
  /** Of a voice session: its test call. */
  call_id: string | null;
  /** Whether the session is over. */
  ended: boolean;
  /** How often the caller spoke. */
  turns: number;
  /** The turns, in their order. */
  transcript: TranscriptTurn[];
  /** What the agent did by its tools. */
  tool_executions: ToolExecution[];
  /** What is found out of a call after its end. */
  analysis: CallAnalysis | null;
  /** Where the recording is. */
  recording_url: string | null;
  /** When it was created. */
  created_at: string;
  /** When it ended; null before. */
  ended_at: string | null;
}

export interface TextTestMessage {
  /** What the caller says. */
  message: string;
  /** Continues this session; without it a new one begins. */
  session_id?: string;
  /** Rendered into prompt and first message as `{{name}}`, when the session begins. */
  variables?: Record<string, string | number | boolean>;
}

export interface TimelineEvent {
  /** Its id. */
  id: string;
  /** Which type it is. */
  type: string;
  /** When. */
  at: string;
  /** What belongs to the event type. */
  data: Record<string, unknown>;
}

export interface ToolExecution {
  /** The execution, as the model names it. */
  tool_call_id: string;
  /** What it is called. */
  name: string;
  /** What the tool was given. */
  arguments: unknown;
  /** What the tool answered. */
  result: unknown;
  /** Where it stands. */
  status: ToolExecutionStatus;
  /** From when, in milliseconds since the call was answered. */
  started_at_ms: number;
  /** Until when, in milliseconds since the call was answered. */
  ended_at_ms: number;
}

export type ToolExecutionStatus = 'succeeded' | 'failed' | 'timed_out' | 'cancelled';

export interface ToolTestRequest {
  /** The tool, as in the agent's `tools`; it need not be saved. Secrets that are left out are those of the agent's own tool of this name, its secret headers only where the URL's origin is the same. */
  tool: ToolTestRequestTool;
  /** As a model would give them; held against `parameters` first. */
  arguments?: Record<string, unknown>;
}

export interface ToolTestRequestTool {
  /** Which type it is. */
  type: 'http';
  /** What it is called. */
  name: string;
  /** What it is, in words. */
  description?: string;
  /** JSON Schema of the arguments, of the type object. Keywords: `$schema`, `$comment`, `title`, `description`, `default`, `examples`, `deprecated`, `readOnly`, `writeOnly`, `type`, `enum`, `const`, `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `multipleOf`, `minLength`, `maxLength`, `pattern`, `format`, `items`, `prefixItems`, `minItems`, `maxItems`, `uniqueItems`, `properties`, `required`, `additionalProperties`, `propertyNames`, `minProperties`, `maxProperties`, `anyOf`, `oneOf`, `allOf`, `$ref`, `$defs`, `definitions`; any other is refused, at every depth. `$ref` leads to `#/$defs/<name>` and never back to itself. `pattern` is in the syntax of RE2, without lookaround and back-references. Formats: date, date-time, time, duration, email, uri, uuid, ipv4, ipv6; others are hints. At most 32 KiB as JSON. */
  parameters?: Record<string, unknown>;
  /** The address. */
  url: string;
  /** The HTTP method. */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Sent with every request; shown again. */
  headers?: Record<string, string>;
  /** Sent too, such as `Authorization`; stored encrypted and never shown. Kept when left out, as long as the server's origin stays the same; else they are the whole of them: null keeps the value that is stored under the name, and `{}` removes all. */
  secret_headers?: Record<string, string | null>;
  /** How long the answer may take, in milliseconds. */
  timeout_ms?: number;
  /** Signs each request as webhooks are signed (`X-Service-Signature`); stored encrypted and never shown. */
  secret?: string;
  /** Whether it changes something outside: then it never runs speculatively. */
  side_effects?: boolean;
  /** What becomes of the tool when the caller speaks while it runs. They are answered at once either way: it goes on and its result enters the conversation when it comes (`continue`, the default), or it is given up (`cancel`). */
  when_caller_speaks?: 'continue' | 'cancel';
  /** The recording pauses while the tool runs, and its arguments and its result are kept out of the record: for card numbers and the like. */
  sensitive?: boolean;
  /** The names of the secret headers that are stored. Only shown: what is sent of it is not read. */
  secret_header_names?: string[];
}

export interface ToolTestResponse {
  /** The HTTP status; null where no answer came. On a call, 2xx is a success. */
  status: number | null;
  /** How long it took, in milliseconds. */
  duration_ms: number;
  /** As the server names it; null where it names none. */
  content_type: string | null;
  /** The first 16 KiB as UTF-8: what a model reads of it. */
  body: string;
  /** Of the whole body. */
  body_bytes: number;
  /** Whether `body` is only the beginning. */
  truncated: boolean;
  /** Why no answer came: `egress_address_refused` (a private network), `egress_timed_out`, `egress_response_too_large` (1 MiB) or `egress_failed`. */
  error: ToolTestResponseError | null;
}

export interface ToolTestResponseError {
  /** What it is, for programs. */
  code: string;
  /** What is wrong, for people. */
  message: string;
}

export interface TranscriptMatch {
  /** The call. */
  call_id: string;
  /** Who speaks. */
  role: 'caller' | 'agent' | 'operator' | 'tool';
  /** The words. */
  text: string;
  /** From the beginning of the call, in milliseconds. */
  started_at_ms: number;
}

export interface TranscriptReadyEvent {
  /** The event. The same on every attempt and replay: drop what you have seen. */
  event_id: string;
  /** The event type. */
  event_type: 'transcript.ready';
  /** The tenant. */
  tenant_id: string;
  /** Whether it belongs to the sandbox rather than to production. */
  sandbox: boolean;
  /** Unix seconds. */
  occurred_at: number;
  /** What belongs to the event type. */
  data: TranscriptReadyEventData;
}

export interface TranscriptReadyEventData {
  /** The call. */
  call_id: string;
  /** The agent. */
  agent_id: string;
  /** Who called: `inbound` for calls to the agent, `outbound` for calls by it. */
  direction: CallDirection;
  /** The calling number, in E.164. */
  from: string;
  /** The called number, in E.164. */
  to: string;
  /** Who spoke from when on; only where the call was handed from one agent to another. */
  agents?: CallSpeaker[];
  /** How many turns the transcript has. */
  turns_count: number;
  /** Where the transcript is. */
  transcript_url: string;
}

export interface TranscriptSearchProgress {
  /** Calls that were looked through for this page. */
  looked_through: number;
  /** How many of them lie in an archive that cannot be read now: what was said in them is not searched. */
  unreadable: number;
}

export interface TranscriptTurn {
  /** Its place, from 0. */
  index: number;
  /** Who speaks. */
  role: TranscriptTurnRole;
  /** The words. */
  text: string;
  /** What the other side heard of it: less than `text` where it was interrupted. */
  heard_text: string;
  /** Whether it was interrupted. */
  interrupted: boolean;
  /** From when, in milliseconds since the call was answered. */
  started_at_ms: number;
  /** Until when, in milliseconds since the call was answered. */
  ended_at_ms: number;
  /** How sure the recogniser is, 0 to 1; null where it does not say. */
  confidence: number | null;
  /** Who said a turn of the agent, in a call that was handed from one agent to another. */
  agent_id?: string;
}

export type TranscriptTurnRole = 'caller' | 'agent' | 'operator' | 'tool';

export interface TransferDestination {
  /** What the agent calls it. */
  name: string;
  /** The number, in E.164. */
  phone_number: string;
}

export interface TransferDestinationInput {
  /** What the agent calls it. */
  name: string;
  /** The number, in E.164. */
  phone_number: string;
}

export interface TrendsResponse {
  /** Whether these are the calls of sandbox keys. */
  sandbox: boolean;
  /** Calls that were created in these days, in UTC. */
  period: TrendsResponsePeriod;
  /** The sums. */
  totals: TrendsResponseTotals;
  /** How many calls are in each status. */
  by_status: CallsByStatus;
  /** Answered calls of those that are over; null without any. */
  answer_rate: number | null;
  /** Completed calls of those that are over; null without any. */
  completion_rate: number | null;
  /** Of answered calls that are over; null without any. */
  average_duration_ms: number | null;
  /** From the end of the caller's speech to the agent's first sound, of the calls that ended then; at most 0.8 % too low, null without any. */
  response_latency_ms: LatencyPercentiles;
  /** Oldest first; those without calls too. */
  buckets: TrendsResponseBucket[];
  /** The 100 agents whose calls cost the most, those first. */
  by_agent: TrendsResponseByAgentItem[];
}

export interface TrendsResponseBucket {
  /** The first of its days that is in the period. */
  start: string;
  /** The last of them. */
  end: string;
  /** How many calls. */
  calls: number;
  /** Answered: the call was connected (it reached IN_PROGRESS) and did not turn out to be a voicemail (VOICEMAIL). The same in overview, usage and campaign analytics. */
  answered: number;
  /** Calls that were completed. */
  completed: number;
  /** Calls that failed. */
  failed: number;
  /** How long it took, in milliseconds. */
  duration_ms: number;
  /** USD, with at most 6 decimals. */
  cost_usd: number;
  /** From the end of the caller's speech to the agent's first sound, of the calls that ended then; at most 0.8 % too low, null without any. */
  response_latency_ms: LatencyPercentiles;
}

export interface TrendsResponseByAgentItem {
  /** Null of calls that came to no agent. */
  agent_id: string | null;
  /** Null where the agent is not there any more. */
  name: string | null;
  /** How many calls. */
  calls: number;
  /** Answered: the call was connected (it reached IN_PROGRESS) and did not turn out to be a voicemail (VOICEMAIL). The same in overview, usage and campaign analytics. */
  answered: number;
  /** Calls that were completed. */
  completed: number;
  /** Calls that failed. */
  failed: number;
  /** How long it took, in milliseconds. */
  duration_ms: number;
  /** USD, with at most 6 decimals. */
  cost_usd: number;
}

export interface TrendsResponsePeriod {
  /** The beginning. */
  start: string;
  /** Inclusive. */
  end: string;
  /** How many days are covered. */
  days: number;
  /** What `buckets` are. */
  bucket: 'day' | 'week' | 'month';
}

export interface TrendsResponseTotals {
  /** How many calls. */
  calls: number;
  /** Answered: the call was connected (it reached IN_PROGRESS) and did not turn out to be a voicemail (VOICEMAIL). The same in overview, usage and campaign analytics. */
  answered: number;
  /** Calls that were completed. */
  completed: number;
  /** Calls that failed. */
  failed: number;
  /** How long it took, in milliseconds. */
  duration_ms: number;
  /** USD, with at most 6 decimals. */
  cost_usd: number;
  /** Of these calls, how many are not over yet. */
  live: number;
}

export interface TurnMetrics {
  /** The turn, by its index. */
  turn: number;
  /** From the last word to the decision that the turn is over, in milliseconds. */
  end_of_turn_delay_ms: number | null;
  /** Until the final transcript, in milliseconds. */
  stt_final_ms: number | null;
  /** Until the model's first token, in milliseconds. */
  llm_first_token_ms: number | null;
  /** Until the voice's first audio, in milliseconds. */
  tts_first_audio_ms: number | null;
  /** From the last word to the first audio of the answer, in milliseconds. */
  response_latency_ms: number | null;
  /** From the interruption to silence, in milliseconds. */
  barge_in_latency_ms: number | null;
  /** Whether the answer was prepared before the turn was over. */
  preempted: boolean;
  /** When its first audio was sent, in milliseconds since the call was answered. */
  audible_at_ms?: number | null;
  /** When it fell silent for the caller, in milliseconds since the call was answered. */
  silenced_at_ms?: number | null;
  /** The same, measured in the recording after the call: from the caller's last sound to the agent's first. */
  waveform_response_latency_ms: number | null;
  /** The same, measured in the recording after the call: from the caller's first sound to the agent's last. */
  waveform_barge_in_latency_ms: number | null;
}

export interface TurnTakingSettings {
  /** Who decides that the caller's turn is over when the agent is realtime: `service`, by the settings beside, or `provider`, by its own turn detection. Cascaded agents: always the service. */
  turn_detection: TurnTakingSettingsTurnDetection;
  /** `on`: a model on the worker listens to how the speech ends, and shortens or lengthens the pause that ends the turn, together with the words and the recogniser. Cascaded agents; it needs `npm run models` on the workers. */
  semantic_end_of_turn: TurnTakingSettingsSemanticEndOfTurn;
  /** Silence after which a turn can be over, in milliseconds. */
  min_endpointing_ms: number;
  /** The same when the recogniser is confident that it is, in milliseconds. */
  confident_endpointing_ms: number;
  /** Silence after which a turn is over in any case, in milliseconds. */
  max_endpointing_ms: number;
  /** From which confidence of the recogniser on its end of turn counts, 0 to 1. */
  end_of_turn_confidence: number;
  /** What of an answer is made before the caller's turn is surely over: nothing (`off`), its text (`llm`), or its first audio as well (`llm_and_voice`). Nothing of it is heard before the turn is over. */
  preemptive_generation: TurnTakingSettingsPreemptiveGeneration;
  /** How long an interim transcript must stand for that at least, in milliseconds. */
  eager_stable_interim_ms: number;
  /** Speech after which the agent pauses, in milliseconds. */
  barge_in_pause_ms: number;
  /** Speech that interrupts the agent, in milliseconds. */
  barge_in_min_speech_ms: number;
  /** Words that interrupt the agent. */
  barge_in_min_words: number;
  /** Silence after which a paused agent goes on, in milliseconds. */
  false_interruption_ms: number;
  /** After which time a filler bridges a slow answer, in milliseconds. */
  filler_delay_ms: number;
  /** Said when a tool or the model is slow; an empty list switches fillers off. */
  fillers: string[];
  /** Asked one after the other when nobody speaks. */
  silence_prompts: string[];
  /** Said when the model or the voice failed and the agent asks again; empty: a sentence in its language. */
  apology: string;
  /** Said before the agent hangs up on silence. */
  silence_goodbye: string;
  /** Probability of speech from which on it is speech, 0 to 1. */
  vad_on: number;
  /** Probability of speech below which it is none any more, 0 to 1. */
  vad_off: number;
  /** Shortest speech that counts, in milliseconds. */
  vad_min_speech_ms: number;
  /** Shortest silence that counts, in milliseconds. */
  vad_min_silence_ms: number;
}

export interface TurnTakingSettingsInput {
  /** Who decides that the caller's turn is over when the agent is realtime: `service`, by the settings beside, or `provider`, by its own turn detection. Cascaded agents: always the service. */
  turn_detection?: TurnTakingSettingsTurnDetection;
  /** `on`: a model on the worker listens to how the speech ends, and shortens or lengthens the pause that ends the turn, together with the words and the recogniser. Cascaded agents; it needs `npm run models` on the workers. */
  semantic_end_of_turn?: TurnTakingSettingsSemanticEndOfTurn;
  /** Silence after which a turn can be over, in milliseconds. */
  min_endpointing_ms?: number;
  /** The same when the recogniser is confident that it is, in milliseconds. */
  confident_endpointing_ms?: number;
  /** Silence after which a turn is over in any case, in milliseconds. */
  max_endpointing_ms?: number;
  /** From which confidence of the recogniser on its end of turn counts, 0 to 1. */
  end_of_turn_confidence?: number;
  /** What of an answer is made before the caller's turn is surely over: nothing (`off`), its text (`llm`), or its first audio as well (`llm_and_voice`). Nothing of it is heard before the turn is over. */
  preemptive_generation?: TurnTakingSettingsPreemptiveGeneration;
  /** How long an interim transcript must stand for that at least, in milliseconds. */
  eager_stable_interim_ms?: number;
  /** Speech after which the agent pauses, in milliseconds. */
  barge_in_pause_ms?: number;
  /** Speech that interrupts the agent, in milliseconds. */
  barge_in_min_speech_ms?: number;
  /** Words that interrupt the agent. */
  barge_in_min_words?: number;
  /** Silence after which a paused agent goes on, in milliseconds. */
  false_interruption_ms?: number;
  /** After which time a filler bridges a slow answer, in milliseconds. */
  filler_delay_ms?: number;
  /** Said when a tool or the model is slow; an empty list switches fillers off. */
  fillers?: string[];
  /** Asked one after the other when nobody speaks. */
  silence_prompts?: string[];
  /** Said when the model or the voice failed and the agent asks again; empty: a sentence in its language. */
  apology?: string;
  /** Said before the agent hangs up on silence. */
  silence_goodbye?: string;
  /** Probability of speech from which on it is speech, 0 to 1. */
  vad_on?: number;
  /** Probability of speech below which it is none any more, 0 to 1. */
  vad_off?: number;
  /** Shortest speech that counts, in milliseconds. */
  vad_min_speech_ms?: number;
  /** Shortest silence that counts, in milliseconds. */
  vad_min_silence_ms?: number;
}

export type TurnTakingSettingsPreemptiveGeneration = 'off' | 'llm' | 'llm_and_voice';

export type TurnTakingSettingsSemanticEndOfTurn = 'off' | 'on';

export type TurnTakingSettingsTurnDetection = 'service' | 'provider';

export type UnprocessableResponse = ErrorResponse | HTTPValidationError;

export interface UpdateConfigRequest {
  /** Keys to set; the others stay. Up to 16 KiB in all. */
  config: Record<string, unknown>;
}

export interface UpdateNudgePresetsRequest {
  /** The whole list; entries without an id get one. */
  presets: NudgePresetInput[];
}

export interface UsageCost {
  /** USD, with at most 6 decimals. */
  stt: number;
  /** USD, with at most 6 decimals. */
  llm: number;
  /** USD, with at most 6 decimals. */
  tts: number;
  /** USD, with at most 6 decimals. */
  carrier: number;
  /** USD, with at most 6 decimals. */
  service: number;
  /** USD, with at most 6 decimals. */
  total: number;
}

export interface UsageCreditExhaustedEvent {
  /** The event. The same on every attempt and replay: drop what you have seen. */
  event_id: string;
  /** The event type. */
  event_type: 'usage.credit_exhausted';
  /** The tenant. */
  tenant_id: string;
  /** Whether it belongs to the sandbox rather than to production. */
  sandbox: boolean;
  /** Unix seconds. */
  occurred_at: number;
  /** What belongs to the event type. */
  data: UsageCreditExhaustedEventData;
}

export interface UsageCreditExhaustedEventData {
  /** The tenant. */
  tenant_id: string;
  /** The last call. */
  last_call_id: string | null;
  /** Whether this is the announcement a day before. */
  in_advance: boolean;
}

export interface UsageDailyCapApproachingEvent {
  /** The event. The same on every attempt and replay: drop what you have seen. */
  event_id: string;
  /** The event type. */
  event_type: 'usage.daily_cap_approaching';
  /** The tenant. */
  tenant_id: string;
  /** Whether it belongs to the sandbox rather than to production. */
  sandbox: boolean;
  /** Unix seconds. */
  occurred_at: number;
  /** What belongs to the event type. */
  data: UsageDailyCapApproachingEventData;
}

export interface UsageDailyCapApproachingEventData {
  /** Spent today, in USD. */
  spent_usd: number;
  /** The limit, in USD; null for none. */
  limit_usd: number;
}

export type UsageSegment = UsageSegmentStt | UsageSegmentLlm | UsageSegmentTts | UsageSegmentRealtime;

export interface UsageSegmentLlm {
  /** Which kind it is. */
  kind: 'llm';
  /** The provider, as `GET /api/v1/providers` names it. */
  provider: string;
  /** The provider's model; empty for its usual one. */
  model: string;
  /** Whether a fallback provider was used. */
  fallback: boolean;
  /** The agent. */
  agent_id?: string;
  /** Tokens read. */
  input_tokens: number;
  /** Tokens written. */
  output_tokens: number;
  /** Of the tokens read, those estimated: the answer was broken off before they were counted. */
  estimated_input_tokens?: number;
  /** Of the tokens written, those estimated: the answer was broken off before they were counted. */
  estimated_output_tokens?: number;
}

export interface UsageSegmentRealtime {
  /** Which kind it is. */
  kind: 'realtime';
  /** The provider, as `GET /api/v1/providers` names it. */
  provider: string;
  /** The provider's model; empty for its usual one. */
  model: string;
  /** Whether a fallback provider was used. */
  fallback: boolean;
  /** The agent. */
  agent_id?: string;
  /** Audio, in milliseconds. */
  audio_ms: number;
  /** Tokens of audio heard. */
  input_audio_tokens: number;
  /** Tokens of text read. */
  input_text_tokens: number;
  /** Tokens of audio among those heard that came from a cache. */
  cached_audio_tokens: number;
  /** Tokens of text among those read that came from a cache. */
  cached_text_tokens: number;
  /** Tokens of audio spoken. */
  output_audio_tokens: number;
  /** Tokens of text written. */
  output_text_tokens: number;
}

export interface UsageSegmentStt {
  /** Which kind it is. */
  kind: 'stt';
  /** The provider, as `GET /api/v1/providers` names it. */
  provider: string;
  /** The provider's model; empty for its usual one. */
  model: string;
  /** Whether a fallback provider was used. */
  fallback: boolean;
  /** The agent. */
  agent_id?: string;
  /** Audio, in milliseconds. */
  audio_ms: number;
}

export interface UsageSegmentTts {
  /** Which kind it is. */
  kind: 'tts';
  /** The provider, as `GET /api/v1/providers` names it. */
  provider: string;
  /** The provider's model; empty for its usual one. */
  model: string;
  /** Whether a fallback provider was used. */
  fallback: boolean;
  /** The agent. */
  agent_id?: string;
  /** Characters spoken. */
  characters: number;
}

export interface UsageSummary {
  /** Whether this is the usage of sandbox keys, which costs nothing. */
  sandbox: boolean;
  /** The currency of all sums, in ISO 4217. */
  currency: 'usd';
  /** The current calendar month, in UTC. */
  period: UsageSummaryPeriod;
  /** Of the current calendar month. */
  totals: UsageSummaryTotals;
  /** How many days `daily` has, today the last of them. */
  days: number;
  /** Oldest first; days without calls too. */
  daily: UsageSummaryDailyItem[];
  /** Free and prepaid credit that is left; null where there never was any. */
  credit_usd: number | null;
  /** Of today, in UTC. */
  daily_cap: UsageSummaryDailyCap;
  /** Whether usage beyond the credit can be billed. */
  payment_method: boolean;
}

export interface UsageSummaryDailyCap {
  /** The limit, in USD; null for none. */
  limit_usd: number | null;
  /** USD, with at most 6 decimals. */
  spent_usd: number;
}

export interface UsageSummaryDailyItem {
  /** A day in UTC. */
  date: string;
  /** Test sessions are not counted; what they use and cost is part of the rest. */
  calls: number;
  /** Answered: the call was connected (it reached IN_PROGRESS) and did not turn out to be a voicemail (VOICEMAIL). The same in overview, usage and campaign analytics. */
  answered_calls: number;
  /** Of connected calls, voicemails too, and of test sessions with a voice, to the millisecond. */
  minutes: number;
  /** What it cost, in USD. */
  cost: UsageCost;
}

export interface UsageSummaryPeriod {
  /** A day in UTC. */
  start: string;
  /** Inclusive. */
  end: string;
}

export interface UsageSummaryTotals {
  /** Test sessions are not counted; what they use and cost is part of the rest. */
  calls: number;
  /** Answered: the call was connected (it reached IN_PROGRESS) and did not turn out to be a voicemail (VOICEMAIL). The same in overview, usage and campaign analytics. */
  answered_calls: number;
  /** Of connected calls, voicemails too, and of test sessions with a voice, to the millisecond. */
  minutes: number;
  /** What it cost, in USD. */
  cost: UsageCost;
  /** Minutes of speech recognised. */
  stt_minutes: number;
  /** Tokens that the language models read. */
  llm_input_tokens: number;
  /** Tokens that the language models wrote. */
  llm_output_tokens: number;
  /** Characters spoken. */
  tts_characters: number;
  /** Of speech-to-speech models, by modality; cached tokens are part of the input's. `cost.llm` holds what they cost. */
  realtime: UsageSummaryTotalsRealtime;
  /** Started minutes, as carriers count. */
  carrier_minutes: number;
}

export interface UsageSummaryTotalsRealtime {
  /** Of callers' audio. */
  minutes: number;
  /** Tokens of audio heard. */
  input_audio_tokens: number;
  /** Tokens of text read. */
  input_text_tokens: number;
  /** Tokens of audio among those heard that came from a cache. */
  cached_audio_tokens: number;
  /** Tokens of text among those read that came from a cache. */
  cached_text_tokens: number;
  /** Tokens of audio spoken. */
  output_audio_tokens: number;
  /** Tokens of text written. */
  output_text_tokens: number;
}

export type UsageWaste = UsageWasteLlm | UsageWasteTts;

export interface UsageWasteLlm {
  /** Which kind it is. */
  kind: 'llm';
  /** The provider, as `GET /api/v1/providers` names it. */
  provider: string;
  /** The provider's model; empty for its usual one. */
  model: string;
  /** Whether a fallback provider was used. */
  fallback: boolean;
  /** The agent. */
  agent_id?: string;
  /** Why, in words. */
  reason: UsageWasteLlmReason;
  /** Tokens read. */
  input_tokens: number;
  /** Tokens written. */
  output_tokens: number;
}

export type UsageWasteLlmReason = 'dropped_guess' | 'lost_race' | 'cut_speech';

export interface UsageWasteTts {
  /** Which kind it is. */
  kind: 'tts';
  /** The provider, as `GET /api/v1/providers` names it. */
  provider: string;
  /** The provider's model; empty for its usual one. */
  model: string;
  /** Whether a fallback provider was used. */
  fallback: boolean;
  /** The agent. */
  agent_id?: string;
  /** Why, in words. */
  reason: UsageWasteTtsReason;
  /** Characters spoken. */
  characters: number;
}

export type UsageWasteTtsReason = 'dropped_guess' | 'lost_race' | 'cut_speech';

export interface VendorKey {
  /** The provider, as `GET /api/v1/providers` names it. */
  provider: string;
  /** What the vendor does for agents: `stt`, `llm`, `tts`, `realtime`. */
  kinds: string[];
  /** Whether the tenant has a key of its own. */
  set: boolean;
  /** The key's last four characters; null without one, and in the sandbox. */
  last_four: string | null;
  /** When the vendor last took the key. */
  checked_at: string | null;
  /** When the key was set or replaced. */
  changed_at: string | null;
  /** Who set or replaced it. */
  changed_by: ChangedBy | null;
  /** Whose account agents without a key of their own are on; null where there is none. */
  account: 'tenant' | 'installation' | null;
}

export interface VendorKeyChange {
  /** The provider, as `GET /api/v1/providers` names it. */
  provider: string;
  /** The integration's action. */
  action: VendorKeyChangeAction;
  /** When. */
  at: string;
  /** Who did it. */
  by: ChangedBy;
}

export type VendorKeyChangeAction = 'set' | 'replaced' | 'deleted';

export interface VendorKeyCheck {
  /** The provider, as `GET /api/v1/providers` names it. */
  provider: string;
  /** `unknown`: the address that is set up for the vendor cannot say. */
  health: 'healthy' | 'refused' | 'unreachable' | 'unknown';
  /** What was found, in words. */
  detail: string;
  /** When it was checked. */
  checked_at: string;
}

export interface VendorKeyListResponse {
  /** One for each vendor, whether there is a key or not. */
  vendor_keys: VendorKey[];
  /** The last 50 changes, newest first; none in the sandbox. */
  changes: VendorKeyChange[];
  /** Whether there are entries after this page. */
  has_more: false;
  /** Always null: the list comes whole. */
  next_cursor: string | null;
}

export interface VendorKeySetRequest {
  /** The key, as the vendor shows it. It is never shown again. */
  api_key: string;
  /** Whether the vendor is asked first. False saves a key while the vendor is away. */
  verify?: boolean;
}

export interface Voice {
  /** The provider, as agents name it. */
  provider: string;
  /** The voice, as its vendor names it. */
  id: string;
  /** What it is called. */
  name: string;
  /** What it is, in words. */
  description: string;
  /** What it speaks; empty: whatever its model does. */
  languages: string[];
  /** As the vendor says; null where it does not. */
  gender: string | null;
  /** As the vendor says; null where it does not. */
  accent: string | null;
  /** What `voice_config.tts` of an agent is with this voice. */
  voice_config: VoiceChoice;
  /** Where it is heard, below this service and with the same credential; null where the vendor has no recording. */
  preview_url: string | null;
}

export interface VoiceChoice {
  /** The provider. */
  provider: string;
  /** The model; empty for the default. */
  model: string;
  /** What names the voice. */
  params: Record<string, unknown>;
}

export interface VoiceConfig {
  /** The speech recogniser. */
  stt?: ProviderChoice;
  /** The language model. */
  llm?: ProviderChoice;
  /** The voice. */
  tts?: ProviderChoice;
  /** The speech-to-speech model. */
  realtime?: ProviderChoice;
}

export interface VoiceConfigInput {
  /** The speech recogniser. */
  stt?: ProviderChoiceInput;
  /** The language model. */
  llm?: ProviderChoiceInput;
  /** The voice. */
  tts?: ProviderChoiceInput;
  /** The speech-to-speech model. */
  realtime?: ProviderChoiceInput;
}

export interface VoiceListResponse {
  /** By provider, in the order of their catalogues. */
  voices: Voice[];
  /** The providers that were asked. */
  sources: VoiceSource[];
  /** Whether there are entries after this page. */
  has_more: boolean;
  /** Pass it as `cursor` to get the next page; null on the last one. */
  next_cursor: string | null;
}

export interface VoicemailSettings {
  /** Whether voicemail is detected: by the carrier, and by words, beep and length of the greeting. */
  detect: boolean;
  /** What the agent does when voicemail answers. */
  action: VoicemailSettingsAction;
  /** Left on the voicemail; empty for nothing. */
  message: string;
}

export type VoicemailSettingsAction = 'hangup' | 'leave_message';

export interface VoicemailSettingsInput {
  /** Whether voicemail is detected: by the carrier, and by words, beep and length of the greeting. */
  detect?: boolean;
  /** What the agent does when voicemail answers. */
  action?: VoicemailSettingsAction;
  /** Left on the voicemail; empty for nothing. */
  message?: string;
}

export interface VoiceSource {
  /** The provider. */
  provider: string;
  /** `stale`: kept from before, because the vendor is away. `unavailable`: it is away, and nothing is kept. */
  state: VoiceSourceState;
  /** When the vendor was asked; null where it has no list that could be asked for. */
  fetched_at: string | null;
  /** Why it is not fresh; null where it is. */
  detail: string | null;
}

export type VoiceSourceState = 'fresh' | 'stale' | 'unavailable';

export interface VoiceTestRequest {
  /** Rendered into prompt and first message as `{{name}}`, when the session begins. */
  variables?: Record<string, string | number | boolean>;
}

export interface WebhookConfigRequest {
  /** http or https, at a public address. */
  url: string;
}

export interface WebhookConfigResponse {
  /** For its deliveries and tests. Null when none is set. */
  webhook_id: string | null;
  /** The address. */
  url: string | null;
  /** There is one for each mode; the key chooses. */
  sandbox: boolean;
  /** Whether deliveries to it are signed. */
  has_secret: boolean;
  /** Only in the answer to the request that generated it. */
  secret: string | null;
  /** When it was last changed. */
  updated_at: string | null;
}

export interface WebhookCreate {
  /** http or https, at a public address. */
  url: string;
  /** Event types, or the single entry `*` for all. */
  event_types?: ('*' | 'call.started' | 'call.completed' | 'call.failed' | 'call.hangup' | 'call.transferred' | 'transcript.ready' | 'recording.ready' | 'analysis.ready' | 'campaign.started' | 'campaign.completed' | 'campaign.contact.completed' | 'agent.activated' | 'agent.deactivated' | 'usage.credit_exhausted' | 'usage.daily_cap_approaching')[];
  /** Whether to receive sandbox or production events, never both. Default: the mode of the key. */
  sandbox?: boolean;
  /** For yourself. */
  description?: string;
}

export interface WebhookCreateResponse {
  /** Its id. */
  id: string;
  /** The address. */
  url: string;
  /** Which events it receives; `*` for all. */
  event_types: string[];
  /** Whether it belongs to the sandbox rather than to production. */
  sandbox: boolean;
  /** Whether events are sent to it. */
  is_active: boolean;
  /** What it is, in words. */
  description: string;
  /** When it was created. */
  created_at: string;
  /** When it was last changed. */
  updated_at: string;
  /** Key of the HMAC-SHA256 signature: the whole text as it is. Shown this once. */
  secret: string;
}

export interface WebhookResponse {
  /** Its id. */
  id: string;
  /** The address. */
  url: string;
  /** Which events it receives; `*` for all. */
  event_types: string[];
  /** Whether it belongs to the sandbox rather than to production. */
  sandbox: boolean;
  /** Whether events are sent to it. */
  is_active: boolean;
  /** What it is, in words. */
  description: string;
  /** When it was created. */
  created_at: string;
  /** When it was last changed. */
  updated_at: string;
}

export interface WebhookUpdate {
  /** http or https, at a public address. */
  url?: string;
  /** Event types, or the single entry `*` for all. */
  event_types?: ('*' | 'call.started' | 'call.completed' | 'call.failed' | 'call.hangup' | 'call.transferred' | 'transcript.ready' | 'recording.ready' | 'analysis.ready' | 'campaign.started' | 'campaign.completed' | 'campaign.contact.completed' | 'agent.activated' | 'agent.deactivated' | 'usage.credit_exhausted' | 'usage.daily_cap_approaching')[];
  /** Switched off, it receives nothing, and deliveries that wait for it are skipped. */
  is_active?: boolean;
  /** For yourself. */
  description?: string;
}

export interface WebRTCSessionCreate {
  /** The session. */
  session_id: string;
  /** Where the offer is to be posted, with the same credential. */
  webrtc_url: string;
  /** Until then the place is kept for the first offer. */
  expires_at: string;
  /** For the `iceServers` of your RTCPeerConnection: STUN and TURN servers of this installation. */
  ice_servers: IceServer[];
}

export interface WhisperRequest {
  /** A note that is added to the agent's context. */
  text: string;
}

export interface WsSessionCreate {
  /** The session. */
  session_id: string;
  /** WebSocket; connect with `?t=<token>`. */
  stream_url: string;
  /** Signed; good for one connection until `expires_at`. */
  token: string;
  /** From when on it no longer works. */
  expires_at: string;
}

/** What a webhook delivers: `event_type` says which it is. */
export type WebhookEvent =
  | AgentActivatedEvent
  | AgentDeactivatedEvent
  | AnalysisReadyEvent
  | CallCompletedEvent
  | CallFailedEvent
  | CallHangupEvent
  | CallStartedEvent
  | CallTransferredEvent
  | CampaignCompletedEvent
  | CampaignContactCompletedEvent
  | CampaignStartedEvent
  | RecordingReadyEvent
  | TranscriptReadyEvent
  | UsageCreditExhaustedEvent
  | UsageDailyCapApproachingEvent;
