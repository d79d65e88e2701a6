# Generated from the OpenAPI description by `npm run clients`. Change the API or clients/generate, not this.
# Dictionaries as the API sends and takes them.
from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class Actor(TypedDict):
    type: Literal["member", "api_key"]
    """Whether a person or a program did it."""
    id: str
    """Of the member or of the key."""
    name: str
    """What they were called when they did it."""


class AgentActivatedEvent(TypedDict):
    event_id: str
    """The event. The same on every attempt and replay: drop what you have seen."""
    event_type: Literal["agent.activated"]
    """The event type."""
    tenant_id: str
    """The tenant."""
    sandbox: bool
    """Whether it belongs to the sandbox rather than to production."""
    occurred_at: int
    """Unix seconds."""
    data: AgentActivatedEventData
    """What belongs to the event type."""


class AgentActivatedEventData(TypedDict):
    agent_id: str
    """The agent."""


class AgentCreate(TypedDict):
    name: str
    """What it is called."""
    pipeline_type: NotRequired[PipelineType]
    """`cascaded`: recogniser, language model and voice; `realtime`: one speech-to-speech model."""
    system_prompt: str
    """`{{name}}` is replaced by the call's variable `name`."""
    first_message: NotRequired[str]
    """Said when the call is answered, after the disclosure; empty lets the caller begin."""
    language: NotRequired[str]
    """The language that the agent speaks: a BCP 47 tag that the providers know."""
    is_active: NotRequired[bool]
    """Kill switch: an inactive agent takes and makes no calls."""
    fallback_voice_config: NotRequired[FallbackVoiceConfigInput]
    """Used when a provider fails in a call. A realtime agent goes on as this cascade when its provider fails: what is missing of `stt`, `llm` and `tts` is then what this installation uses by default. Without any of them, the call of a realtime agent ends with `provider_failed`."""
    tools: NotRequired[list[AgentToolInput]]
    """Secrets are never shown again; a tool that is sent again without them keeps them. Default: `[{"type":"end_call","name":"end_call","description":""}]`."""
    transfer_destinations: NotRequired[list[TransferDestinationInput]]
    """Where the agent may transfer a call to."""
    disclosure: NotRequired[DisclosureInput]
    """What says at the beginning that an AI speaks."""
    calling_hours: NotRequired[CallingHoursInput]
    """When the agent may call, by the day of the week."""
    turn_taking: NotRequired[TurnTakingSettingsInput]
    """When the agent speaks and when it lets the other speak."""
    max_duration_seconds: NotRequired[int]
    """After this time the call is ended, in seconds."""
    silence_timeout_seconds: NotRequired[float]
    """How long nobody may speak before the agent asks, in seconds."""
    voicemail: NotRequired[VoicemailSettingsInput]
    """Contacts whose voicemail answered."""
    recording: NotRequired[RecordingSettingsInput]
    """`announce` says after the disclosure that the call is recorded. A call that may only be recorded with the consent of everybody is not recorded by an agent that does not announce it."""
    analysis: NotRequired[AnalysisSettingsInput]
    """What is found out of a call after its end."""
    nudge_presets: NotRequired[list[NudgePresetInput]]
    """Instructions that an operator can send into a live call."""
    metadata: NotRequired[dict[str, Any]]
    """Your own data. Replaced as a whole."""
    voice_config: NotRequired[VoiceConfigInput]
    """`stt`, `llm` and `tts` of a cascaded agent, `realtime` of a realtime one. Left out, what this installation has. A change of `pipeline_type` keeps the choices of the other pipeline aside: turned back, the agent has them again."""


class AgentDeactivatedEvent(TypedDict):
    event_id: str
    """The event. The same on every attempt and replay: drop what you have seen."""
    event_type: Literal["agent.deactivated"]
    """The event type."""
    tenant_id: str
    """The tenant."""
    sandbox: bool
    """Whether it belongs to the sandbox rather than to production."""
    occurred_at: int
    """Unix seconds."""
    data: AgentDeactivatedEventData
    """What belongs to the event type."""


class AgentDeactivatedEventData(TypedDict):
    agent_id: str
    """The agent."""


class AgentEstimateRequest(TypedDict):
    pipeline_type: NotRequired[PipelineType]
    """Left out, that of the agent."""
    voice_config: NotRequired[VoiceConfigInput]
    """As in a change of the agent: what is left out is as the agent has it."""
    turn_taking: NotRequired[AgentEstimateRequestTurnTaking]
    """As in a change of the agent: what is left out is as the agent has it."""
    to_number: NotRequired[str]
    """Who is called: it decides what the carrier charges. By default in the US."""


class AgentEstimateRequestTurnTaking(TypedDict):
    turn_detection: NotRequired[Literal["service", "provider"]]
    """Who decides that the caller's turn is over when the agent is realtime: `service`, by the settings beside, or `provider`, by its own turn detection. Cascaded agents: always the service."""
    semantic_end_of_turn: NotRequired[Literal["off", "on"]]
    """`on`: a model on the worker listens to how the speech ends, and shortens or lengthens the pause that ends the turn, together with the words and the recogniser. Cascaded agents; it needs `npm run models` on the workers."""
    min_endpointing_ms: NotRequired[int]
    """Silence after which a turn can be over, in milliseconds."""
    confident_endpointing_ms: NotRequired[int]
    """The same when the recogniser is confident that it is, in milliseconds."""
    max_endpointing_ms: NotRequired[int]
    """Silence after which a turn is over in any case, in milliseconds."""
    end_of_turn_confidence: NotRequired[float]
    """From which confidence of the recogniser on its end of turn counts, 0 to 1."""
    preemptive_generation: NotRequired[Literal["off", "llm", "llm_and_voice"]]
    """What of an answer is made before the caller's turn is surely over: nothing (`off`), its text (`llm`), or its first audio as well (`llm_and_voice`). Nothing of it is heard before the turn is over."""
    eager_stable_interim_ms: NotRequired[int]
    """How long an interim transcript must stand for that at least, in milliseconds."""
    barge_in_pause_ms: NotRequired[int]
    """Speech after which the agent pauses, in milliseconds."""
    barge_in_min_speech_ms: NotRequired[int]
    """Speech that interrupts the agent, in milliseconds."""
    barge_in_min_words: NotRequired[int]
    """Words that interrupt the agent."""
    false_interruption_ms: NotRequired[int]
    """Silence after which a paused agent goes on, in milliseconds."""
    filler_delay_ms: NotRequired[int]
    """After which time a filler bridges a slow answer, in milliseconds."""
    fillers: NotRequired[list[str]]
    """Said when a tool or the model is slow; an empty list switches fillers off."""
    silence_prompts: NotRequired[list[str]]
    """Asked one after the other when nobody speaks."""
    apology: NotRequired[str]
    """Said when the model or the voice failed and the agent asks again; empty: a sentence in its language."""
    silence_goodbye: NotRequired[str]
    """Said before the agent hangs up on silence."""
    vad_on: NotRequired[float]
    """Probability of speech from which on it is speech, 0 to 1."""
    vad_off: NotRequired[float]
    """Probability of speech below which it is none any more, 0 to 1."""
    vad_min_speech_ms: NotRequired[int]
    """Shortest speech that counts, in milliseconds."""
    vad_min_silence_ms: NotRequired[int]
    """Shortest silence that counts, in milliseconds."""


class AgentEstimateResponse(TypedDict):
    agent_id: str
    """The agent."""
    version: int
    """The version of the agent that it is of."""
    cost_per_minute: CostPerMinute
    """USD, of an outbound call in production."""
    expected_latency: ExpectedLatency
    """How soon it answers with its turn-taking: endpointing, who finds the end of a turn, early answers."""
    measured: MeasuredCalls | None
    """What its calls came to; null before the first."""


class AgentListResponse(TypedDict):
    agents: list[AgentResponse]
    """The agents of this page, newest first."""
    total: NotRequired[int]
    """How many entries the filters let through. Only with `include_total=true`."""
    total_is_capped: NotRequired[bool]
    """Whether there are more than `total`: counting stops at 10,000."""
    has_more: bool
    """Whether there are entries after this page."""
    next_cursor: str | None
    """Pass it as `cursor` to get the next page; null on the last one."""


class AgentResponse(TypedDict):
    name: str
    """What it is called."""
    pipeline_type: PipelineType
    """`cascaded`: recogniser, language model and voice; `realtime`: one speech-to-speech model."""
    system_prompt: str
    """`{{name}}` is replaced by the call's variable `name`."""
    first_message: str
    """Said when the call is answered, after the disclosure; empty lets the caller begin."""
    language: str
    """The language that the agent speaks: a BCP 47 tag that the providers know."""
    is_active: bool
    """Kill switch: an inactive agent takes and makes no calls."""
    fallback_voice_config: FallbackVoiceConfig
    """Used when a provider fails in a call. A realtime agent goes on as this cascade when its provider fails: what is missing of `stt`, `llm` and `tts` is then what this installation uses by default. Without any of them, the call of a realtime agent ends with `provider_failed`."""
    tools: list[AgentTool]
    """What the agent can do besides talking."""
    transfer_destinations: list[TransferDestination]
    """Where the agent may transfer a call to."""
    disclosure: Disclosure
    """What says at the beginning that an AI speaks."""
    calling_hours: CallingHours
    """When the agent may call, by the day of the week."""
    turn_taking: TurnTakingSettings
    """When the agent speaks and when it lets the other speak."""
    max_duration_seconds: int
    """After this time the call is ended, in seconds."""
    silence_timeout_seconds: float
    """How long nobody may speak before the agent asks, in seconds."""
    voicemail: VoicemailSettings
    """Contacts whose voicemail answered."""
    recording: RecordingSettings
    """`announce` says after the disclosure that the call is recorded. A call that may only be recorded with the consent of everybody is not recorded by an agent that does not announce it."""
    analysis: AnalysisSettings
    """What is found out of a call after its end."""
    nudge_presets: list[NudgePreset]
    """Instructions that an operator can send into a live call."""
    metadata: dict[str, Any]
    """Your own data. Replaced as a whole."""
    id: str
    """Its id."""
    version: int
    """Counts its saves. `GET /agents/{agent_id}/versions` lists them."""
    voice_config: VoiceConfig
    """`stt`, `llm` and `tts` of a cascaded agent, `realtime` of a realtime one."""
    experimental: bool
    """Whether a provider is outside the canonical matrix."""
    warnings: list[str]
    """What is to be known of its providers: outside the matrix, or without a key here."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it was last changed."""


class AgentTemplateCloneRequest(TypedDict):
    variables: NotRequired[dict[str, str]]
    """Written into the texts for good; the others stay for the calls to give."""
    changes: NotRequired[AgentUpdate]
    """Any field of an agent, as in a change of one."""


class AgentTemplateCloneResponse(TypedDict):
    name: str
    """What it is called."""
    pipeline_type: PipelineType
    """`cascaded`: recogniser, language model and voice; `realtime`: one speech-to-speech model."""
    system_prompt: str
    """`{{name}}` is replaced by the call's variable `name`."""
    first_message: str
    """Said when the call is answered, after the disclosure; empty lets the caller begin."""
    language: str
    """The language that the agent speaks: a BCP 47 tag that the providers know."""
    is_active: bool
    """Kill switch: an inactive agent takes and makes no calls."""
    fallback_voice_config: FallbackVoiceConfig
    """Used when a provider fails in a call. A realtime agent goes on as this cascade when its provider fails: what is missing of `stt`, `llm` and `tts` is then what this installation uses by default. Without any of them, the call of a realtime agent ends with `provider_failed`."""
    tools: list[AgentTool]
    """What the agent can do besides talking."""
    transfer_destinations: list[TransferDestination]
    """Where the agent may transfer a call to."""
    disclosure: Disclosure
    """What says at the beginning that an AI speaks."""
    calling_hours: CallingHours
    """When the agent may call, by the day of the week."""
    turn_taking: TurnTakingSettings
    """When the agent speaks and when it lets the other speak."""
    max_duration_seconds: int
    """After this time the call is ended, in seconds."""
    silence_timeout_seconds: float
    """How long nobody may speak before the agent asks, in seconds."""
    voicemail: VoicemailSettings
    """Contacts whose voicemail answered."""
    recording: RecordingSettings
    """`announce` says after the disclosure that the call is recorded. A call that may only be recorded with the consent of everybody is not recorded by an agent that does not announce it."""
    analysis: AnalysisSettings
    """What is found out of a call after its end."""
    nudge_presets: list[NudgePreset]
    """Instructions that an operator can send into a live call."""
    metadata: dict[str, Any]
    """Your own data. Replaced as a whole."""
    id: str
    """Its id."""
    version: int
    """Counts its saves. `GET /agents/{agent_id}/versions` lists them."""
    voice_config: VoiceConfig
    """`stt`, `llm` and `tts` of a cascaded agent, `realtime` of a realtime one."""
    experimental: bool
    """Whether a provider is outside the canonical matrix."""
    warnings: list[str]
    """What is to be known of its providers: outside the matrix, or without a key here."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it was last changed."""
    integration_tools: list[AgentTemplateCloneResponseIntegrationTool]
    """What of the template's integration tools the agent got; the agent works without them, too."""


class AgentTemplateCloneResponseIntegrationTool(TypedDict):
    purpose: str
    """What the agent is for."""
    integrations: list[str]
    """That give it, the preferred one first."""
    integration: str | None
    """Which of them the agent uses; null for none."""
    tools: list[str]
    """Names of the tools that the agent got for it."""
    hint: str | None
    """What to do for it where the agent goes without."""


class AgentTemplateListResponse(TypedDict):
    templates: list[AgentTemplateResponse]
    """The built-in templates."""
    total: int
    """How many there are in all."""
    has_more: Literal[False]
    """Whether there are entries after this page."""
    next_cursor: str | None
    """Always null: the list comes whole."""


class AgentTemplateResponse(TypedDict):
    slug: str
    """The name in paths."""
    name: str
    """What it is called."""
    category: Literal["hr", "sales", "real_estate", "healthcare", "insurance", "collections", "support", "hospitality", "research", "events"]
    """The field of business."""
    description: str
    """What it is, in words."""
    variables: list[AgentTemplateResponseVariable]
    """What stands in the texts as `{{name}}`."""
    integration_tools: list[AgentTemplateResponseIntegrationTool]
    """What a clone can do besides, when one of these integrations is connected."""
    outcome_labels: list[str]
    """For a campaign of this agent: the first is the success."""
    agent: AgentTemplateResponseAgent
    """The settings of an agent that is cloned without changes."""


class AgentTemplateResponseAgent(TypedDict):
    name: str
    """What it is called."""
    pipeline_type: PipelineType
    """`cascaded`: recogniser, language model and voice; `realtime`: one speech-to-speech model."""
    system_prompt: str
    """`{{name}}` is replaced by the call's variable `name`."""
    first_message: str
    """Said when the call is answered, after the disclosure; empty lets the caller begin."""
    language: str
    """The language that the agent speaks: a BCP 47 tag that the providers know."""
    is_active: bool
    """Kill switch: an inactive agent takes and makes no calls."""
    fallback_voice_config: FallbackVoiceConfig
    """Used when a provider fails in a call. A realtime agent goes on as this cascade when its provider fails: what is missing of `stt`, `llm` and `tts` is then what this installation uses by default. Without any of them, the call of a realtime agent ends with `provider_failed`."""
    tools: list[AgentTool]
    """What the agent can do besides talking."""
    transfer_destinations: list[TransferDestination]
    """Where the agent may transfer a call to."""
    disclosure: Disclosure
    """What says at the beginning that an AI speaks."""
    calling_hours: CallingHours
    """When the agent may call, by the day of the week."""
    turn_taking: TurnTakingSettings
    """When the agent speaks and when it lets the other speak."""
    max_duration_seconds: int
    """After this time the call is ended, in seconds."""
    silence_timeout_seconds: float
    """How long nobody may speak before the agent asks, in seconds."""
    voicemail: VoicemailSettings
    """Contacts whose voicemail answered."""
    recording: RecordingSettings
    """`announce` says after the disclosure that the call is recorded. A call that may only be recorded with the consent of everybody is not recorded by an agent that does not announce it."""
    analysis: AnalysisSettings
    """What is found out of a call after its end."""
    nudge_presets: list[NudgePreset]
    """Instructions that an operator can send into a live call."""
    metadata: dict[str, Any]
    """Your own data. Replaced as a whole."""


class AgentTemplateResponseIntegrationTool(TypedDict):
    purpose: str
    """What the agent is for."""
    integrations: list[str]
    """Integrations that it works well with, by slug."""


class AgentTemplateResponseVariable(TypedDict):
    name: str
    """What it is called."""
    description: str
    """What it is, in words."""
    example: str
    """A value that fits."""
    given: Literal["clone", "call"]
    """`clone`: the same for all calls; `call`: of the person who is called."""


class AgentToolEndCall(TypedDict):
    type: Literal["end_call"]
    """Which type it is."""
    name: str
    """What it is called."""
    description: str
    """What it is, in words."""


class AgentToolEndCallInput(TypedDict):
    type: Literal["end_call"]
    """Which type it is."""
    name: NotRequired[str]
    """What it is called."""
    description: NotRequired[str]
    """What it is, in words."""


class AgentToolHttp(TypedDict):
    type: Literal["http"]
    """Which type it is."""
    name: str
    """What it is called."""
    description: str
    """What it is, in words."""
    parameters: dict[str, Any]
    """JSON Schema of the arguments, of the type object. Keywords: `$schema`, `$comment`, `title`, `description`, `default`, `examples`, `deprecated`, `readOnly`, `writeOnly`, `type`, `enum`, `const`, `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `multipleOf`, `minLength`, `maxLength`, `pattern`, `format`, `items`, `prefixItems`, `minItems`, `maxItems`, `uniqueItems`, `properties`, `required`, `additionalProperties`, `propertyNames`, `minProperties`, `maxProperties`, `anyOf`, `oneOf`, `allOf`, `$ref`, `$defs`, `definitions`; any other is refused, at every depth. `$ref` leads to `#/$defs/<name>` and never back to itself. `pattern` is in the syntax of RE2, without lookaround and back-references. Formats: date, date-time, time, duration, email, uri, uuid, ipv4, ipv6; others are hints. At most 32 KiB as JSON."""
    url: str
    """The address."""
    method: AgentToolHttpMethod
    """The HTTP method."""
    headers: dict[str, str]
    """Sent with every request; shown again."""
    timeout_ms: int
    """How long the answer may take, in milliseconds."""
    side_effects: bool
    """Whether it changes something outside: then it never runs speculatively."""
    when_caller_speaks: NotRequired[AgentToolHttpWhenCallerSpeaks]
    """What becomes of the tool when the caller speaks while it runs. They are answered at once either way: it goes on and its result enters the conversation when it comes (`continue`, the default), or it is given up (`cancel`)."""
    sensitive: NotRequired[bool]
    """The recording pauses while the tool runs, and its arguments and its result are kept out of the record: for card numbers and the like."""
    secret_header_names: NotRequired[list[str]]
    """The names of the secret headers that are stored. Only shown: what is sent of it is not read."""


class AgentToolHttpInput(TypedDict):
    type: Literal["http"]
    """Which type it is."""
    name: str
    """What it is called."""
    description: NotRequired[str]
    """What it is, in words."""
    parameters: NotRequired[dict[str, Any]]
    """JSON Schema of the arguments, of the type object. Keywords: `$schema`, `$comment`, `title`, `description`, `default`, `examples`, `deprecated`, `readOnly`, `writeOnly`, `type`, `enum`, `const`, `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `multipleOf`, `minLength`, `maxLength`, `pattern`, `format`, `items`, `prefixItems`, `minItems`, `maxItems`, `uniqueItems`, `properties`, `required`, `additionalProperties`, `propertyNames`, `minProperties`, `maxProperties`, `anyOf`, `oneOf`, `allOf`, `$ref`, `$defs`, `definitions`; any other is refused, at every depth. `$ref` leads to `#/$defs/<name>` and never back to itself. `pattern` is in the syntax of RE2, without lookaround and back-references. Formats: date, date-time, time, duration, email, uri, uuid, ipv4, ipv6; others are hints. At most 32 KiB as JSON."""
    url: str
    """The address."""
    method: NotRequired[AgentToolHttpMethod]
    """The HTTP method."""
    headers: NotRequired[dict[str, str]]
    """Sent with every request; shown again."""
    secret_headers: NotRequired[dict[str, str | None]]
    """Sent too, such as `Authorization`; stored encrypted and never shown. Kept when left out, as long as the server's origin stays the same; else they are the whole of them: null keeps the value that is stored under the name, and `{}` removes all."""
    timeout_ms: NotRequired[int]
    """How long the answer may take, in milliseconds."""
    secret: NotRequired[str]
    """Signs each request as webhooks are signed (`X-Service-Signature`); stored encrypted and never shown."""
    side_effects: NotRequired[bool]
    """Whether it changes something outside: then it never runs speculatively."""
    when_caller_speaks: NotRequired[AgentToolHttpWhenCallerSpeaks]
    """What becomes of the tool when the caller speaks while it runs. They are answered at once either way: it goes on and its result enters the conversation when it comes (`continue`, the default), or it is given up (`cancel`)."""
    sensitive: NotRequired[bool]
    """The recording pauses while the tool runs, and its arguments and its result are kept out of the record: for card numbers and the like."""
    secret_header_names: NotRequired[list[str]]
    """The names of the secret headers that are stored. Only shown: what is sent of it is not read."""


class AgentToolIntegration(TypedDict):
    type: Literal["integration"]
    """Which type it is."""
    name: str
    """What it is called."""
    description: str
    """What it is, in words."""
    integration: str
    """The integration, by its slug."""
    action: str
    """The integration's action."""
    when_caller_speaks: NotRequired[AgentToolIntegrationWhenCallerSpeaks]
    """What becomes of the tool when the caller speaks while it runs. They are answered at once either way: it goes on and its result enters the conversation when it comes (`continue`, the default), or it is given up (`cancel`)."""
    sensitive: NotRequired[bool]
    """The recording pauses while the tool runs, and its arguments and its result are kept out of the record: for card numbers and the like."""


class AgentToolIntegrationInput(TypedDict):
    type: Literal["integration"]
    """Which type it is."""
    name: str
    """What it is called."""
    description: NotRequired[str]
    """What it is, in words."""
    integration: str
    """The integration, by its slug."""
    action: str
    """The integration's action."""
    when_caller_speaks: NotRequired[AgentToolIntegrationWhenCallerSpeaks]
    """What becomes of the tool when the caller speaks while it runs. They are answered at once either way: it goes on and its result enters the conversation when it comes (`continue`, the default), or it is given up (`cancel`)."""
    sensitive: NotRequired[bool]
    """The recording pauses while the tool runs, and its arguments and its result are kept out of the record: for card numbers and the like."""


class AgentToolMcp(TypedDict):
    type: Literal["mcp"]
    """Which type it is."""
    name: str
    """Begins the names of the server's tools: `<name>_<tool>`."""
    description: str
    """Of those tools that the server does not describe."""
    server_url: str
    """The server's Streamable HTTP endpoint. It is first asked when a call begins; a server that is down leaves the agent without its tools, which the call's timeline shows."""
    headers: dict[str, str]
    """Sent with every request; shown again."""
    allowed_tools: NotRequired[list[str]]
    """The server's own names of the tools that the agent gets; left out, all (32 at most)."""
    timeout_ms: int
    """Of one call of a tool."""
    when_caller_speaks: NotRequired[AgentToolMcpWhenCallerSpeaks]
    """What becomes of the tool when the caller speaks while it runs. They are answered at once either way: it goes on and its result enters the conversation when it comes (`continue`, the default), or it is given up (`cancel`)."""
    sensitive: NotRequired[bool]
    """The recording pauses while the tool runs, and its arguments and its result are kept out of the record: for card numbers and the like."""
    secret_header_names: NotRequired[list[str]]
    """The names of the secret headers that are stored. Only shown: what is sent of it is not read."""


class AgentToolMcpInput(TypedDict):
    type: Literal["mcp"]
    """Which type it is."""
    name: str
    """Begins the names of the server's tools: `<name>_<tool>`."""
    description: NotRequired[str]
    """Of those tools that the server does not describe."""
    server_url: str
    """The server's Streamable HTTP endpoint. It is first asked when a call begins; a server that is down leaves the agent without its tools, which the call's timeline shows."""
    headers: NotRequired[dict[str, str]]
    """Sent with every request; shown again."""
    secret_headers: NotRequired[dict[str, str | None]]
    """Sent too, such as `Authorization`; stored encrypted and never shown. Kept when left out, as long as the server's origin stays the same; else they are the whole of them: null keeps the value that is stored under the name, and `{}` removes all."""
    allowed_tools: NotRequired[list[str]]
    """The server's own names of the tools that the agent gets; left out, all (32 at most)."""
    timeout_ms: NotRequired[int]
    """Of one call of a tool."""
    when_caller_speaks: NotRequired[AgentToolMcpWhenCallerSpeaks]
    """What becomes of the tool when the caller speaks while it runs. They are answered at once either way: it goes on and its result enters the conversation when it comes (`continue`, the default), or it is given up (`cancel`)."""
    sensitive: NotRequired[bool]
    """The recording pauses while the tool runs, and its arguments and its result are kept out of the record: for card numbers and the like."""
    secret_header_names: NotRequired[list[str]]
    """The names of the secret headers that are stored. Only shown: what is sent of it is not read."""


class AgentToolSendDtmf(TypedDict):
    type: Literal["send_dtmf"]
    """Which type it is."""
    name: str
    """What it is called."""
    description: str
    """What it is, in words."""


class AgentToolSendDtmfInput(TypedDict):
    type: Literal["send_dtmf"]
    """Which type it is."""
    name: NotRequired[str]
    """What it is called."""
    description: NotRequired[str]
    """What it is, in words."""


class AgentToolTransferCall(TypedDict):
    type: Literal["transfer_call"]
    """Which type it is."""
    name: str
    """What it is called."""
    description: str
    """What it is, in words."""
    transfer_type: AgentToolTransferCallTransferType
    """`warm`: the agent briefs the human first; `cold`: the call is handed over at once."""


class AgentToolTransferCallInput(TypedDict):
    type: Literal["transfer_call"]
    """Which type it is."""
    name: NotRequired[str]
    """What it is called."""
    description: NotRequired[str]
    """What it is, in words."""
    transfer_type: NotRequired[AgentToolTransferCallTransferType]
    """`warm`: the agent briefs the human first; `cold`: the call is handed over at once."""


class AgentToolTransferToAgent(TypedDict):
    type: Literal["transfer_to_agent"]
    """Which type it is."""
    name: str
    """What it is called."""
    description: str
    """What it is, in words."""
    agents: list[HandoffTarget]
    """The agents of the tenant that the call may be handed to. At most five handoffs a call, and back to an agent that had the caller only for a reason that is new in the call. What was begun with the first agent stays: disclosure, recording, voicemail, the longest duration."""


class AgentToolTransferToAgentInput(TypedDict):
    type: Literal["transfer_to_agent"]
    """Which type it is."""
    name: NotRequired[str]
    """What it is called."""
    description: NotRequired[str]
    """What it is, in words."""
    agents: list[HandoffTargetInput]
    """The agents of the tenant that the call may be handed to. At most five handoffs a call, and back to an agent that had the caller only for a reason that is new in the call. What was begun with the first agent stays: disclosure, recording, voicemail, the longest duration."""


class AgentUpdate(TypedDict):
    name: NotRequired[str]
    """What it is called."""
    pipeline_type: NotRequired[PipelineType]
    """`cascaded`: recogniser, language model and voice; `realtime`: one speech-to-speech model."""
    system_prompt: NotRequired[str]
    """`{{name}}` is replaced by the call's variable `name`."""
    first_message: NotRequired[str]
    """Said when the call is answered, after the disclosure; empty lets the caller begin."""
    language: NotRequired[str]
    """The language that the agent speaks: a BCP 47 tag that the providers know."""
    is_active: NotRequired[bool]
    """Kill switch: an inactive agent takes and makes no calls."""
    fallback_voice_config: NotRequired[AgentUpdateFallbackVoiceConfig]
    """Used when a provider fails in a call. A realtime agent goes on as this cascade when its provider fails: what is missing of `stt`, `llm` and `tts` is then what this installation uses by default. Without any of them, the call of a realtime agent ends with `provider_failed`."""
    tools: NotRequired[list[AgentToolInput]]
    """Secrets are never shown again; a tool that is sent again without them keeps them."""
    transfer_destinations: NotRequired[list[TransferDestinationInput]]
    """Where the agent may transfer a call to."""
    disclosure: NotRequired[AgentUpdateDisclosure]
    """What says at the beginning that an AI speaks."""
    calling_hours: NotRequired[AgentUpdateCallingHours]
    """When the agent may call, by the day of the week."""
    turn_taking: NotRequired[AgentUpdateTurnTaking]
    """When the agent speaks and when it lets the other speak."""
    max_duration_seconds: NotRequired[int]
    """After this time the call is ended, in seconds."""
    silence_timeout_seconds: NotRequired[float]
    """How long nobody may speak before the agent asks, in seconds."""
    voicemail: NotRequired[AgentUpdateVoicemail]
    """Contacts whose voicemail answered."""
    recording: NotRequired[AgentUpdateRecording]
    """Whether and how calls are recorded."""
    analysis: NotRequired[AgentUpdateAnalysis]
    """What is found out of a call after its end."""
    nudge_presets: NotRequired[list[NudgePresetInput]]
    """Instructions that an operator can send into a live call."""
    metadata: NotRequired[dict[str, Any]]
    """Your own data. Replaced as a whole."""
    voice_config: NotRequired[AgentUpdateVoiceConfig]
    """`stt`, `llm` and `tts` of a cascaded agent, `realtime` of a realtime one. Left out, what this installation has. A change of `pipeline_type` keeps the choices of the other pipeline aside: turned back, the agent has them again."""


class AgentUpdateAnalysis(TypedDict):
    enabled: NotRequired[bool]
    """Whether it is done."""
    scorecard: NotRequired[list[ScorecardCriterionInput]]
    """What a call is scored by."""
    extraction_schema: NotRequired[dict[str, Any] | None]
    """JSON Schema of the data that is extracted from each call: an object, or just a map of its fields. What the model answers is held against it; every field may be null. Keywords: `$schema`, `$comment`, `title`, `description`, `default`, `examples`, `deprecated`, `readOnly`, `writeOnly`, `type`, `enum`, `const`, `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `multipleOf`, `minLength`, `maxLength`, `pattern`, `format`, `items`, `prefixItems`, `minItems`, `maxItems`, `uniqueItems`, `properties`, `required`, `additionalProperties`, `propertyNames`, `minProperties`, `maxProperties`, `anyOf`, `oneOf`, `allOf`, `$ref`, `$defs`, `definitions`; any other is refused, at every depth. `$ref` leads to `#/$defs/<name>` and never back to itself. `pattern` is in the syntax of RE2, without lookaround and back-references. Formats: date, date-time, time, duration, email, uri, uuid, ipv4, ipv6; others are hints. At most 32 KiB as JSON."""


class AgentUpdateCallingHours(TypedDict):
    timezone: NotRequired[str | None]
    """Whose clock counts; null for the callee's."""
    monday: NotRequired[DayHoursInput | None]
    """The hours of Mondays; null for none."""
    tuesday: NotRequired[DayHoursInput | None]
    """The hours of Tuesdays; null for none."""
    wednesday: NotRequired[DayHoursInput | None]
    """The hours of Wednesdays; null for none."""
    thursday: NotRequired[DayHoursInput | None]
    """The hours of Thursdays; null for none."""
    friday: NotRequired[DayHoursInput | None]
    """The hours of Fridays; null for none."""
    saturday: NotRequired[DayHoursInput | None]
    """The hours of Saturdays; null for none."""
    sunday: NotRequired[DayHoursInput | None]
    """The hours of Sundays; null for none."""


class AgentUpdateDisclosure(TypedDict):
    text: NotRequired[str]
    """Discloses that an AI speaks. Without one, the compliance gate denies outbound calls."""
    position: NotRequired[Literal["before_first_message"]]
    """Where it is said."""


class AgentUpdateFallbackVoiceConfig(TypedDict):
    stt: NotRequired[ProviderChoiceInput]
    """The speech recogniser."""
    llm: NotRequired[ProviderChoiceInput]
    """The language model."""
    tts: NotRequired[ProviderChoiceInput]
    """The voice."""


class AgentUpdateRecording(TypedDict):
    enabled: NotRequired[bool]
    """Whether it is done."""
    announce: NotRequired[bool]
    """Whether the recording is announced."""
    announcement: NotRequired[str]
    """By what words, in the agent's language, the recording is announced."""


class AgentUpdateTurnTaking(TypedDict):
    turn_detection: NotRequired[Literal["service", "provider"]]
    """Who decides that the caller's turn is over when the agent is realtime: `service`, by the settings beside, or `provider`, by its own turn detection. Cascaded agents: always the service."""
    semantic_end_of_turn: NotRequired[Literal["off", "on"]]
    """`on`: a model on the worker listens to how the speech ends, and shortens or lengthens the pause that ends the turn, together with the words and the recogniser. Cascaded agents; it needs `npm run models` on the workers."""
    min_endpointing_ms: NotRequired[int]
    """Silence after which a turn can be over, in milliseconds."""
    confident_endpointing_ms: NotRequired[int]
    """The same when the recogniser is confident that it is, in milliseconds."""
    max_endpointing_ms: NotRequired[int]
    """Silence after which a turn is over in any case, in milliseconds."""
    end_of_turn_confidence: NotRequired[float]
    """From which confidence of the recogniser on its end of turn counts, 0 to 1."""
    preemptive_generation: NotRequired[Literal["off", "llm", "llm_and_voice"]]
    """What of an answer is made before the caller's turn is surely over: nothing (`off`), its text (`llm`), or its first audio as well (`llm_and_voice`). Nothing of it is heard before the turn is over."""
    eager_stable_interim_ms: NotRequired[int]
    """How long an interim transcript must stand for that at least, in milliseconds."""
    barge_in_pause_ms: NotRequired[int]
    """Speech after which the agent pauses, in milliseconds."""
    barge_in_min_speech_ms: NotRequired[int]
    """Speech that interrupts the agent, in milliseconds."""
    barge_in_min_words: NotRequired[int]
    """Words that interrupt the agent."""
    false_interruption_ms: NotRequired[int]
    """Silence after which a paused agent goes on, in milliseconds."""
    filler_delay_ms: NotRequired[int]
    """After which time a filler bridges a slow answer, in milliseconds."""
    fillers: NotRequired[list[str]]
    """Said when a tool or the model is slow; an empty list switches fillers off."""
    silence_prompts: NotRequired[list[str]]
    """Asked one after the other when nobody speaks."""
    apology: NotRequired[str]
    """Said when the model or the voice failed and the agent asks again; empty: a sentence in its language."""
    silence_goodbye: NotRequired[str]
    """Said before the agent hangs up on silence."""
    vad_on: NotRequired[float]
    """Probability of speech from which on it is speech, 0 to 1."""
    vad_off: NotRequired[float]
    """Probability of speech below which it is none any more, 0 to 1."""
    vad_min_speech_ms: NotRequired[int]
    """Shortest speech that counts, in milliseconds."""
    vad_min_silence_ms: NotRequired[int]
    """Shortest silence that counts, in milliseconds."""


class AgentUpdateVoiceConfig(TypedDict):
    stt: NotRequired[ProviderChoiceInput]
    """The speech recogniser."""
    llm: NotRequired[ProviderChoiceInput]
    """The language model."""
    tts: NotRequired[ProviderChoiceInput]
    """The voice."""
    realtime: NotRequired[ProviderChoiceInput]
    """The speech-to-speech model."""


class AgentUpdateVoicemail(TypedDict):
    detect: NotRequired[bool]
    """Whether voicemail is detected: by the carrier, and by words, beep and length of the greeting."""
    action: NotRequired[Literal["hangup", "leave_message"]]
    """What the agent does when voicemail answers."""
    message: NotRequired[str]
    """Left on the voicemail; empty for nothing."""


class AgentVersionChange(TypedDict):
    path: str
    """The field, with those that it is in. A list is one field."""
    before: Any
    """Absent where that version has it not."""
    after: Any
    """Absent where that version has it not."""


AgentVersionDiffResponse = TypedDict(
    "AgentVersionDiffResponse",
    {
        "from": "int",
        "to": "int",
        "changes": "list[AgentVersionChange]",
    },
)


class AgentVersionListResponse(TypedDict):
    versions: list[AgentVersionSummary]
    """The newest first."""
    has_more: bool
    """Whether there are entries after this page."""
    next_cursor: str | None
    """Pass it as `cursor` to get the next page; null on the last one."""


class AgentVersionResponse(TypedDict):
    version: int
    """Counts the saves of the agent, from 1."""
    is_current: bool
    """Whether new calls begin with it."""
    name: str
    """What it is called."""
    changed: list[str]
    """The fields that this save changed, as paths."""
    author: Actor | None
    """Who saved it; null in versions from before it was kept."""
    created_at: str
    """When it was saved."""
    settings: AgentVersionSettings
    """The agent as it was saved, without secrets."""


class AgentVersionSettings(TypedDict):
    name: str
    """What it is called."""
    pipeline_type: PipelineType
    """`cascaded`: recogniser, language model and voice; `realtime`: one speech-to-speech model."""
    system_prompt: str
    """`{{name}}` is replaced by the call's variable `name`."""
    first_message: str
    """Said when the call is answered, after the disclosure; empty lets the caller begin."""
    language: str
    """The language that the agent speaks: a BCP 47 tag that the providers know."""
    is_active: bool
    """Kill switch: an inactive agent takes and makes no calls."""
    fallback_voice_config: FallbackVoiceConfig
    """Used when a provider fails in a call. A realtime agent goes on as this cascade when its provider fails: what is missing of `stt`, `llm` and `tts` is then what this installation uses by default. Without any of them, the call of a realtime agent ends with `provider_failed`."""
    tools: list[AgentTool]
    """What the agent can do besides talking."""
    transfer_destinations: list[TransferDestination]
    """Where the agent may transfer a call to."""
    disclosure: Disclosure
    """What says at the beginning that an AI speaks."""
    calling_hours: CallingHours
    """When the agent may call, by the day of the week."""
    turn_taking: TurnTakingSettings
    """When the agent speaks and when it lets the other speak."""
    max_duration_seconds: int
    """After this time the call is ended, in seconds."""
    silence_timeout_seconds: float
    """How long nobody may speak before the agent asks, in seconds."""
    voicemail: VoicemailSettings
    """Contacts whose voicemail answered."""
    recording: RecordingSettings
    """`announce` says after the disclosure that the call is recorded. A call that may only be recorded with the consent of everybody is not recorded by an agent that does not announce it."""
    analysis: AnalysisSettings
    """What is found out of a call after its end."""
    nudge_presets: list[NudgePreset]
    """Instructions that an operator can send into a live call."""
    metadata: dict[str, Any]
    """Your own data. Replaced as a whole."""
    voice_config: VoiceConfig
    """`stt`, `llm` and `tts` of a cascaded agent, `realtime` of a realtime one."""


class AgentVersionSummary(TypedDict):
    version: int
    """Counts the saves of the agent, from 1."""
    is_current: bool
    """Whether new calls begin with it."""
    name: str
    """What it is called."""
    changed: list[str]
    """The fields that this save changed, as paths."""
    author: Actor | None
    """Who saved it; null in versions from before it was kept."""
    created_at: str
    """When it was saved."""


class AnalysisReadyEvent(TypedDict):
    event_id: str
    """The event. The same on every attempt and replay: drop what you have seen."""
    event_type: Literal["analysis.ready"]
    """The event type."""
    tenant_id: str
    """The tenant."""
    sandbox: bool
    """Whether it belongs to the sandbox rather than to production."""
    occurred_at: int
    """Unix seconds."""
    data: AnalysisReadyEventData
    """What belongs to the event type."""


AnalysisReadyEventData = TypedDict(
    "AnalysisReadyEventData",
    {
        "call_id": "str",
        "agent_id": "str",
        "direction": "CallDirection",
        "from": "str",
        "to": "str",
        "agents": "NotRequired[list[CallSpeaker]]",
        "status": "Literal[\"complete\", \"skipped\"]",
        "outcome": "str | None",
        "summary": "str | None",
        "scorecard": "dict[str, Any] | None",
        "tool_executions": "list[dict[str, Any]]",
    },
)


class AnalysisSettings(TypedDict):
    enabled: bool
    """Whether it is done."""
    scorecard: list[ScorecardCriterion]
    """What a call is scored by."""
    extraction_schema: dict[str, Any] | None
    """JSON Schema of the data that is extracted from each call: an object, or just a map of its fields. What the model answers is held against it; every field may be null. Keywords: `$schema`, `$comment`, `title`, `description`, `default`, `examples`, `deprecated`, `readOnly`, `writeOnly`, `type`, `enum`, `const`, `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `multipleOf`, `minLength`, `maxLength`, `pattern`, `format`, `items`, `prefixItems`, `minItems`, `maxItems`, `uniqueItems`, `properties`, `required`, `additionalProperties`, `propertyNames`, `minProperties`, `maxProperties`, `anyOf`, `oneOf`, `allOf`, `$ref`, `$defs`, `definitions`; any other is refused, at every depth. `$ref` leads to `#/$defs/<name>` and never back to itself. `pattern` is in the syntax of RE2, without lookaround and back-references. Formats: date, date-time, time, duration, email, uri, uuid, ipv4, ipv6; others are hints. At most 32 KiB as JSON."""


class AnalysisSettingsInput(TypedDict):
    enabled: NotRequired[bool]
    """Whether it is done."""
    scorecard: NotRequired[list[ScorecardCriterionInput]]
    """What a call is scored by."""
    extraction_schema: NotRequired[dict[str, Any] | None]
    """JSON Schema of the data that is extracted from each call: an object, or just a map of its fields. What the model answers is held against it; every field may be null. Keywords: `$schema`, `$comment`, `title`, `description`, `default`, `examples`, `deprecated`, `readOnly`, `writeOnly`, `type`, `enum`, `const`, `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `multipleOf`, `minLength`, `maxLength`, `pattern`, `format`, `items`, `prefixItems`, `minItems`, `maxItems`, `uniqueItems`, `properties`, `required`, `additionalProperties`, `propertyNames`, `minProperties`, `maxProperties`, `anyOf`, `oneOf`, `allOf`, `$ref`, `$defs`, `definitions`; any other is refused, at every depth. `$ref` leads to `#/$defs/<name>` and never back to itself. `pattern` is in the syntax of RE2, without lookaround and back-references. Formats: date, date-time, time, duration, email, uri, uuid, ipv4, ipv6; others are hints. At most 32 KiB as JSON."""


class ApiKeyConnectRequest(TypedDict):
    api_key: NotRequired[str]
    """The key, as the vendor shows it."""
    token: NotRequired[str]
    """The token, as the vendor shows it."""
    base_id: NotRequired[str]
    """The base, as the vendor names it."""
    webhook_url: NotRequired[str]
    """The address that the vendor gave."""


class ApiKeyCreateRequest(TypedDict):
    name: str
    """What it is called."""
    sandbox: NotRequired[bool]
    """Whether the key selects sandbox mode (`sk_test_`). Default: the mode of the caller; `false` needs production."""


class ApiKeyCreateResponse(TypedDict):
    id: str
    """Its id."""
    name: str
    """What it is called."""
    key_prefix: str
    """The first characters of the key."""
    sandbox: bool
    """Whether it belongs to the sandbox rather than to production."""
    review: ApiKeyCreateResponseReview | None
    """Why somebody should decide whether the key is still wanted. It works until it is deleted."""
    created_at: str
    """When it was created."""
    key: str
    """The key itself: shown here and never again."""


class ApiKeyCreateResponseReview(TypedDict):
    reason: Literal["creator_deleted"]
    """`creator_deleted`: the person who made the key no longer exists."""
    since: str
    """Since when the key should be reviewed."""


class ApiKeyListResponse(TypedDict):
    keys: list[ApiKeyResponse]
    """The keys, without their plaintext."""
    total: NotRequired[int]
    """How many entries the filters let through. Only with `include_total=true`."""
    total_is_capped: NotRequired[bool]
    """Whether there are more than `total`: counting stops at 10,000."""
    has_more: bool
    """Whether there are entries after this page."""
    next_cursor: str | None
    """Pass it as `cursor` to get the next page; null on the last one."""


class ApiKeyResponse(TypedDict):
    id: str
    """Its id."""
    name: str
    """What it is called."""
    key_prefix: str
    """The first characters of the key."""
    sandbox: bool
    """Whether it belongs to the sandbox rather than to production."""
    review: ApiKeyResponseReview | None
    """Why somebody should decide whether the key is still wanted. It works until it is deleted."""
    created_at: str
    """When it was created."""


class ApiKeyResponseReview(TypedDict):
    reason: Literal["creator_deleted"]
    """`creator_deleted`: the person who made the key no longer exists."""
    since: str
    """Since when the key should be reviewed."""


class AssignAgentRequest(TypedDict):
    agent_id: str | None
    """Answers calls to the number; null unassigns."""


class AvailableNumber(TypedDict):
    phone_number: str
    """The number, in E.164."""
    provider: Literal["twilio", "telnyx", "plivo", "simulated"]
    """The provider, as `GET /api/v1/providers` names it."""
    country: str
    """ISO 3166-1 alpha-2."""
    region: str | None
    """The state or province, where it is known."""
    locality: str | None
    """The town, where it is known."""
    capabilities: AvailableNumberCapabilities
    """What the number can do."""


class AvailableNumberCapabilities(TypedDict):
    voice: bool
    """Whether it takes calls."""
    sms: bool
    """Whether it takes text messages."""


class CallAnalysis(TypedDict):
    status: Literal["complete", "failed", "skipped"]
    """`failed` and `skipped` have no results; `error_code` says why."""
    outcome: str | None
    """The label of the outcome; null as long as there is none."""
    outcome_score: float | None
    """0 to 1: the scorecard's weighted mean, or without one how far the goal was reached."""
    summary: str | None
    """What happened, in a few sentences; null as long as there is none."""
    sentiment: Literal["positive", "neutral", "negative"] | None
    """The mood of the caller; null where it is not known."""
    scorecard: dict[str, CallAnalysisScorecardValue] | None
    """By criterion, 0 to 1."""
    extracted_data: dict[str, Any] | None
    """By the extraction schema; null for what was not said."""
    error_code: str | None
    """What went wrong, for programs; null when nothing did."""
    error_message: str | None
    """What went wrong, for people; null when nothing did."""


class CallAnalysisScorecardValue(TypedDict):
    score: float
    """The score."""
    reason: str
    """Why, in words."""


class CallCompletedEvent(TypedDict):
    event_id: str
    """The event. The same on every attempt and replay: drop what you have seen."""
    event_type: Literal["call.completed"]
    """The event type."""
    tenant_id: str
    """The tenant."""
    sandbox: bool
    """Whether it belongs to the sandbox rather than to production."""
    occurred_at: int
    """Unix seconds."""
    data: CallCompletedEventData
    """What belongs to the event type."""


CallCompletedEventData = TypedDict(
    "CallCompletedEventData",
    {
        "call_id": "str",
        "agent_id": "str",
        "direction": "CallDirection",
        "from": "str",
        "to": "str",
        "agents": "NotRequired[list[CallSpeaker]]",
        "status": "Literal[\"COMPLETED\", \"VOICEMAIL\"]",
        "duration_ms": "float",
        "outcome": "str | None",
        "recording_url": "str | None",
        "recording_url_expires_at": "str | None",
        "summary": "str | None",
        "cost_usd": "float | None",
    },
)


class CallCost(TypedDict):
    stt: float
    """Speech recognition, in USD."""
    llm: float
    """Language models, speech-to-speech ones and the analysis included."""
    tts: float
    """Voices, in USD."""
    carrier: float
    """The telephone line, in USD."""
    service: float
    """The fee of the service, in USD."""
    total: float
    """All of it, in USD."""
    wasted: NotRequired[float]
    """What of `llm` and `tts` was of no use, as a part of them: answers begun early that were dropped, models beside which another was faster, and what of an answer was not heard. Absent where that is nothing."""
    currency: Literal["usd"]
    """Of all the amounts."""


class CallCreate(TypedDict):
    agent_id: str
    """The agent."""
    from_number: str
    """A verified number of the tenant, attested A."""
    to_number: str
    """With a sandbox key: a carrier test number."""
    compliance_check_id: NotRequired[str]
    """An earlier check for the same numbers, not older than 15 minutes."""
    variables: NotRequired[dict[str, str | float | bool]]
    """Rendered into prompt and first message as `{{name}}`; a name that is missing becomes nothing."""
    metadata: NotRequired[dict[str, Any]]
    """Kept with the call and given back."""


class CallCreateResponse(TypedDict):
    id: str
    """Its id."""
    call_id: str
    """The same as `id`."""
    status: Literal["queued"]
    """Where it stands."""
    compliance_check_id: str
    """The compliance check that allowed it."""


class CallDecision(TypedDict):
    step: int
    """Its place among all decisions of the call."""
    at_ms: float
    """Since the media stream began."""
    rule: Literal["opening", "end_of_turn", "preemptive_answer", "answer_dropped", "answer_heard", "barge_in_pause", "interruption", "false_interruption", "backchannel", "filler", "silence", "tool", "handoff", "machine", "failure", "ending", "note"]
    """Which rule it is of: `interruption` says why the agent was silenced, `end_of_turn` why it spoke."""
    known: str
    """What was known at that moment, and what the rule says of it."""
    outcome: str
    """What followed."""
    today: str | None
    """What today's rules do instead, empty where that is nothing; null where they do the same."""


class CallDecisionsResponse(TypedDict):
    call_id: str
    """The call."""
    decisions: list[CallDecision]
    """In their order, without those that led to nothing but timers; 2,000 at most."""
    truncated: bool
    """Whether there are more."""
    steps: int
    """All decisions of the call."""
    different: int
    """How many of them today's rules take differently, timers counted. Those after the first may follow from it: what happened then was caused by what was done."""


class CallDeliveriesResponse(TypedDict):
    deliveries: list[DeliveryResponse]
    """Attempts, newest first."""
    has_more: bool
    """Whether there are entries after this page."""
    next_cursor: str | None
    """Pass it as `cursor` to get the next page; null on the last one."""


class CallDetailResponse(TypedDict):
    id: str
    """Its id."""
    agent_id: str
    """The agent."""
    agent_version: int | None
    """The version of the agent that it began with; null for calls from before there were versions."""
    status: CallStatus
    """Where it stands."""
    direction: CallDirection
    """Who called: `inbound` for calls to the agent, `outbound` for calls by it."""
    from_number: str | None
    """Null where it was the other side’s and is erased."""
    to_number: str | None
    """Null where it was the other side’s and is erased."""
    recording_url: str | None
    """Short-lived; null while there is no recording."""
    is_test_call: bool
    """Whether the call was made in the sandbox: nothing real was dialled or billed."""
    extra: CallExtra
    """State that guards operations on the call."""
    carrier: str
    """The carrier."""
    carrier_call_id: str | None
    """The call as the carrier names it; null before it was dialled."""
    campaign_id: str | None
    """The campaign."""
    contact_id: str | None
    """The contact."""
    compliance_check_id: str | None
    """Null where no carrier was asked to dial."""
    worker_id: str | None
    """The media worker; null before one took the call."""
    answered_by: str | None
    """Answering-machine detection of the carrier."""
    queued_at: str
    """When it was created."""
    ringing_at: str | None
    """When it began to ring; null before."""
    started_at: str | None
    """When it began; null before."""
    ended_at: str | None
    """When it ended; null before."""
    duration_ms: float | None
    """How long it took, in milliseconds."""
    end_reason: EndReason | None
    """Why it ended."""
    outcome: str | None
    """The label of the outcome; null as long as there is none."""
    summary: str | None
    """What happened, in a few sentences; null as long as there is none."""
    error_code: str | None
    """What went wrong, for programs; null when nothing did."""
    error_message: str | None
    """What went wrong, for people; null when nothing did."""
    cost: CallCost | None
    """The final sum, the call's analysis included; null until the call is analysed."""
    metadata: dict[str, Any]
    """Your own data, returned as it was given."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it was last changed."""
    erased_at: str | None
    """When all that names or quotes somebody was erased; null for a call that is whole."""
    agents: list[CallSpeaker]
    """Who spoke from when on: more than one where an agent handed the call to another."""
    transcript: list[TranscriptTurn]
    """The turns, in their order."""
    tool_executions: list[ToolExecution]
    """What the agent did by its tools."""
    metrics: CallDetailResponseMetrics
    """Figures of the calls."""
    usage: CallUsage | None
    """What providers did, by the count of the worker; tokens of a realtime agent by modality. Null until the end."""
    analysis: CallAnalysis | None
    """Null while there is none."""
    events: list[TimelineEvent]
    """What happened, in order. `call.corrected`: the call had been given up as `worker_lost`, and its media worker turned out to have written down how it ended."""


class CallDetailResponseMetrics(TypedDict):
    turns: list[TurnMetrics]
    """Figures of each turn."""
    p50: StagePercentiles
    """The median."""
    p95: StagePercentiles
    """What 95 of 100 are below."""
    line: LineStatistics | None
    """How the connection did, as last reported; null where the line does not know (carriers)."""


class CallErasureResponse(TypedDict):
    call_id: str
    """The call."""
    status: Literal["erasing", "erased"]
    """`erasing`: nothing of it is shown any more, and the rest follows by itself as soon as the end of the call is charged and published, or the storage answers."""
    erased_at: str | None
    """When all of it was gone; null before."""


class CallExtra(TypedDict):
    transfer_in_progress: bool
    """Whether a transfer is under way: a second one is refused."""


class CallFailedEvent(TypedDict):
    event_id: str
    """The event. The same on every attempt and replay: drop what you have seen."""
    event_type: Literal["call.failed"]
    """The event type."""
    tenant_id: str
    """The tenant."""
    sandbox: bool
    """Whether it belongs to the sandbox rather than to production."""
    occurred_at: int
    """Unix seconds."""
    data: CallFailedEventData
    """What belongs to the event type."""


CallFailedEventData = TypedDict(
    "CallFailedEventData",
    {
        "call_id": "str",
        "agent_id": "str",
        "direction": "CallDirection",
        "from": "str",
        "to": "str",
        "agents": "NotRequired[list[CallSpeaker]]",
        "status": "Literal[\"FAILED\", \"BUSY\", \"NO_ANSWER\"]",
        "error_code": "str",
        "error_message": "str",
    },
)


class CallHangupEvent(TypedDict):
    event_id: str
    """The event. The same on every attempt and replay: drop what you have seen."""
    event_type: Literal["call.hangup"]
    """The event type."""
    tenant_id: str
    """The tenant."""
    sandbox: bool
    """Whether it belongs to the sandbox rather than to production."""
    occurred_at: int
    """Unix seconds."""
    data: CallHangupEventData
    """What belongs to the event type."""


CallHangupEventData = TypedDict(
    "CallHangupEventData",
    {
        "call_id": "str",
        "agent_id": "str",
        "direction": "CallDirection",
        "from": "str",
        "to": "str",
        "agents": "NotRequired[list[CallSpeaker]]",
        "end_reason": "str",
    },
)


class CallingHours(TypedDict):
    timezone: str | None
    """Whose clock counts; null for the callee's."""
    monday: DayHours | None
    """The hours of Mondays; null for none. Default: `{"start":"08:00","end":"21:00"}`."""
    tuesday: DayHours | None
    """The hours of Tuesdays; null for none. Default: `{"start":"08:00","end":"21:00"}`."""
    wednesday: DayHours | None
    """The hours of Wednesdays; null for none. Default: `{"start":"08:00","end":"21:00"}`."""
    thursday: DayHours | None
    """The hours of Thursdays; null for none. Default: `{"start":"08:00","end":"21:00"}`."""
    friday: DayHours | None
    """The hours of Fridays; null for none. Default: `{"start":"08:00","end":"21:00"}`."""
    saturday: DayHours | None
    """The hours of Saturdays; null for none. Default: `{"start":"08:00","end":"21:00"}`."""
    sunday: DayHours | None
    """The hours of Sundays; null for none. Default: `{"start":"08:00","end":"21:00"}`."""


class CallingHoursInput(TypedDict):
    timezone: NotRequired[str | None]
    """Whose clock counts; null for the callee's."""
    monday: NotRequired[DayHoursInput | None]
    """The hours of Mondays; null for none. Default: `{"start":"08:00","end":"21:00"}`."""
    tuesday: NotRequired[DayHoursInput | None]
    """The hours of Tuesdays; null for none. Default: `{"start":"08:00","end":"21:00"}`."""
    wednesday: NotRequired[DayHoursInput | None]
    """The hours of Wednesdays; null for none. Default: `{"start":"08:00","end":"21:00"}`."""
    thursday: NotRequired[DayHoursInput | None]
    """The hours of Thursdays; null for none. Default: `{"start":"08:00","end":"21:00"}`."""
    friday: NotRequired[DayHoursInput | None]
    """The hours of Fridays; null for none. Default: `{"start":"08:00","end":"21:00"}`."""
    saturday: NotRequired[DayHoursInput | None]
    """The hours of Saturdays; null for none. Default: `{"start":"08:00","end":"21:00"}`."""
    sunday: NotRequired[DayHoursInput | None]
    """The hours of Sundays; null for none. Default: `{"start":"08:00","end":"21:00"}`."""


class CallListResponse(TypedDict):
    calls: list[CallResponse]
    """The calls of this page, newest first."""
    matches: NotRequired[list[TranscriptMatch]]
    """Only with `q`: the first turn of each of these calls in which it was said."""
    search: NotRequired[TranscriptSearchProgress]
    """Only with `q`: how far this page got."""
    total: NotRequired[int]
    """How many entries the filters let through. Only with `include_total=true`."""
    total_is_capped: NotRequired[bool]
    """Whether there are more than `total`: counting stops at 10,000."""
    has_more: bool
    """Whether there are entries after this page."""
    next_cursor: str | None
    """Pass it as `cursor` to get the next page; null on the last one."""


class CallResponse(TypedDict):
    id: str
    """Its id."""
    agent_id: str
    """The agent."""
    agent_version: int | None
    """The version of the agent that it began with; null for calls from before there were versions."""
    status: CallStatus
    """Where it stands."""
    direction: CallDirection
    """Who called: `inbound` for calls to the agent, `outbound` for calls by it."""
    from_number: str | None
    """Null where it was the other side’s and is erased."""
    to_number: str | None
    """Null where it was the other side’s and is erased."""
    recording_url: str | None
    """Short-lived; null while there is no recording."""
    is_test_call: bool
    """Whether the call was made in the sandbox: nothing real was dialled or billed."""
    extra: CallExtra
    """State that guards operations on the call."""
    carrier: str
    """The carrier."""
    carrier_call_id: str | None
    """The call as the carrier names it; null before it was dialled."""
    campaign_id: str | None
    """The campaign."""
    contact_id: str | None
    """The contact."""
    compliance_check_id: str | None
    """Null where no carrier was asked to dial."""
    worker_id: str | None
    """The media worker; null before one took the call."""
    answered_by: str | None
    """Answering-machine detection of the carrier."""
    queued_at: str
    """When it was created."""
    ringing_at: str | None
    """When it began to ring; null before."""
    started_at: str | None
    """When it began; null before."""
    ended_at: str | None
    """When it ended; null before."""
    duration_ms: float | None
    """How long it took, in milliseconds."""
    end_reason: EndReason | None
    """Why it ended."""
    outcome: str | None
    """The label of the outcome; null as long as there is none."""
    summary: str | None
    """What happened, in a few sentences; null as long as there is none."""
    error_code: str | None
    """What went wrong, for programs; null when nothing did."""
    error_message: str | None
    """What went wrong, for people; null when nothing did."""
    cost: CallCost | None
    """The final sum, the call's analysis included; null until the call is analysed."""
    metadata: dict[str, Any]
    """Your own data, returned as it was given."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it was last changed."""
    erased_at: str | None
    """When all that names or quotes somebody was erased; null for a call that is whole."""


class CallsByStatus(TypedDict):
    QUEUED: int
    """Calls that wait to be dialled."""
    RINGING: int
    """Calls that ring."""
    IN_PROGRESS: int
    """Calls that are live."""
    COMPLETED: int
    """Calls that ended well."""
    FAILED: int
    """Calls that ended in error."""
    BUSY: int
    """Calls to busy lines."""
    NO_ANSWER: int
    """Calls that nobody answered."""
    VOICEMAIL: int
    """Calls that voicemail answered."""


class CallSpeaker(TypedDict):
    agent_id: str
    """The agent."""
    from_ms: float
    """Since the media stream began, in ms."""


class CallStartedEvent(TypedDict):
    event_id: str
    """The event. The same on every attempt and replay: drop what you have seen."""
    event_type: Literal["call.started"]
    """The event type."""
    tenant_id: str
    """The tenant."""
    sandbox: bool
    """Whether it belongs to the sandbox rather than to production."""
    occurred_at: int
    """Unix seconds."""
    data: CallStartedEventData
    """What belongs to the event type."""


CallStartedEventData = TypedDict(
    "CallStartedEventData",
    {
        "call_id": "str",
        "agent_id": "str",
        "direction": "CallDirection",
        "from": "str",
        "to": "str",
        "agents": "NotRequired[list[CallSpeaker]]",
    },
)


class CallTransfer(TypedDict):
    destination: str
    """Of a human: an ordinary number, no premium, personal or satellite one. With a sandbox key: a carrier test number."""
    transfer_type: NotRequired[Literal["cold", "warm"]]
    """`cold`: connected at once. `warm`: the human is rung and briefed first; the caller stays until then."""
    briefing: NotRequired[str]
    """What the human hears first (warm)."""


class CallTransferredEvent(TypedDict):
    event_id: str
    """The event. The same on every attempt and replay: drop what you have seen."""
    event_type: Literal["call.transferred"]
    """The event type."""
    tenant_id: str
    """The tenant."""
    sandbox: bool
    """Whether it belongs to the sandbox rather than to production."""
    occurred_at: int
    """Unix seconds."""
    data: CallTransferredEventData
    """What belongs to the event type."""


CallTransferredEventData = TypedDict(
    "CallTransferredEventData",
    {
        "call_id": "str",
        "agent_id": "str",
        "direction": "CallDirection",
        "from": "str",
        "to": "str",
        "agents": "NotRequired[list[CallSpeaker]]",
        "transfer_to": "str",
        "transfer_type": "Literal[\"warm\", \"cold\"]",
    },
)


class CallTransferResponse(TypedDict):
    call_id: str
    """The call."""
    transfer_id: str
    """The transfer."""
    status: Literal["transferred", "in_progress"]
    """`in_progress`: the human is being rung."""
    transfer_to: str
    """To which number, in E.164."""
    transfer_type: Literal["cold", "warm"]
    """`warm`: the agent briefs the human first; `cold`: the call is handed over at once."""


class CallUsage(TypedDict):
    stt: CallUsageStt
    """The speech recogniser."""
    llm: CallUsageLlm
    """The language model."""
    tts: CallUsageTts
    """The voice."""
    realtime: NotRequired[CallUsageRealtime]
    """The speech-to-speech model."""
    segments: NotRequired[list[UsageSegment]]
    """The use of one provider each."""
    wasted: NotRequired[list[UsageWaste]]
    """What of it was of no use, as a part of it."""


class CallUsageLlm(TypedDict):
    provider: str
    """The provider, as `GET /api/v1/providers` names it."""
    model: str
    """The provider's model; empty for its usual one."""
    input_tokens: int
    """Tokens read."""
    output_tokens: int
    """Tokens written."""


class CallUsageRealtime(TypedDict):
    provider: str
    """The provider, as `GET /api/v1/providers` names it."""
    model: str
    """The provider's model; empty for its usual one."""
    audio_ms: float
    """Audio, in milliseconds."""
    input_audio_tokens: int
    """Tokens of audio heard."""
    input_text_tokens: int
    """Tokens of text read."""
    cached_audio_tokens: int
    """Tokens of audio among those heard that came from a cache."""
    cached_text_tokens: int
    """Tokens of text among those read that came from a cache."""
    output_audio_tokens: int
    """Tokens of audio spoken."""
    output_text_tokens: int
    """Tokens of text written."""


class CallUsageStt(TypedDict):
    provider: str
    """The provider, as `GET /api/v1/providers` names it."""
    model: str
    """The provider's model; empty for its usual one."""
    audio_ms: float
    """Audio, in milliseconds."""


class CallUsageTts(TypedDict):
    provider: str
    """The provider, as `GET /api/v1/providers` names it."""
    model: str
    """The provider's model; empty for its usual one."""
    characters: int
    """Characters spoken."""


class CampaignAnalytics(TypedDict):
    campaign_id: str
    """The campaign."""
    primary_outcome: str | None
    """Null for a campaign without labels: completed counts."""
    funnel: CampaignAnalyticsFunnel
    """From contacts to outcomes."""
    outcomes: list[CampaignAnalyticsOutcome]
    """Ended calls by outcome: a completed call's label (`completed` without one), else the call's status in lower case."""
    metrics: CampaignAnalyticsMetrics
    """Figures of the calls."""
    time_series: CampaignAnalyticsTimeSeries
    """The same over time."""


class CampaignAnalyticsFunnel(TypedDict):
    contacts: int
    """How many contacts."""
    attempted: int
    """Contacts that were called at least once."""
    answered: int
    """Contacts one of whose calls was answered. Answered: the call was connected (it reached IN_PROGRESS) and did not turn out to be a voicemail (VOICEMAIL). The same in overview, usage and campaign analytics."""
    completed: int
    """Contacts one of whose calls was completed."""
    primary_outcome: int
    """Contacts one of whose completed calls came to the primary outcome."""


class CampaignAnalyticsMetrics(TypedDict):
    total_calls: int
    """How many calls."""
    calls_by_status: dict[str, int]
    """How many calls ended in each status."""
    answer_rate: float | None
    """Answered calls of those that are over; null without any."""
    completion_rate: float | None
    """Completed calls of those that are over; null without any."""
    primary_outcome_rate: float | None
    """Completed calls that came to the primary outcome, of the completed calls; null without any."""
    average_duration_seconds: float | None
    """Average length of a call, in seconds; null without calls."""
    total_duration_seconds: float
    """Length of all calls together, in seconds."""
    average_outcome_score: float | None
    """Average score of the outcomes; null without any."""
    average_attempts: float | None
    """Calls per contact that was called."""


class CampaignAnalyticsOutcome(TypedDict):
    outcome: str
    """The label of the outcome."""
    count: int
    """How many."""


class CampaignAnalyticsTimeSeries(TypedDict):
    interval: Literal["hour", "day"]
    """The time between two points."""
    points: list[CampaignAnalyticsTimeSeriesPoint]
    """The points, oldest first."""


class CampaignAnalyticsTimeSeriesPoint(TypedDict):
    at: str
    """When."""
    calls: int
    """How many calls."""
    answered: int
    """Calls that a person answered."""
    completed: int
    """Calls that were completed."""
    primary_outcome: int
    """Calls with the primary outcome."""


class CampaignCompletedEvent(TypedDict):
    event_id: str
    """The event. The same on every attempt and replay: drop what you have seen."""
    event_type: Literal["campaign.completed"]
    """The event type."""
    tenant_id: str
    """The tenant."""
    sandbox: bool
    """Whether it belongs to the sandbox rather than to production."""
    occurred_at: int
    """Unix seconds."""
    data: CampaignCompletedEventData
    """What belongs to the event type."""


class CampaignCompletedEventData(TypedDict):
    campaign_id: str
    """The campaign."""
    total_contacts: int
    """How many contacts it has."""
    success_count: int
    """Contacts whose call was completed."""
    failure_count: int
    """Contacts whose call failed for good."""
    no_answer_count: int
    """Contacts who never answered."""


class CampaignContactCompletedEvent(TypedDict):
    event_id: str
    """The event. The same on every attempt and replay: drop what you have seen."""
    event_type: Literal["campaign.contact.completed"]
    """The event type."""
    tenant_id: str
    """The tenant."""
    sandbox: bool
    """Whether it belongs to the sandbox rather than to production."""
    occurred_at: int
    """Unix seconds."""
    data: CampaignContactCompletedEventData
    """What belongs to the event type."""


class CampaignContactCompletedEventData(TypedDict):
    campaign_id: str
    """The campaign."""
    total_contacts: int
    """How many contacts it has."""
    contact_id: str
    """The contact."""
    call_id: str | None
    """The call."""
    outcome: str | None
    """The outcome label of the analysis; null where there is none."""
    status: Literal["completed", "failed", "busy", "no_answer", "voicemail"]
    """How the call to the contact ended."""


class CampaignContactCreate(TypedDict):
    phone: str
    """E.164, or any usual notation; national numbers count as US."""
    first_name: NotRequired[str | None]
    """The first name."""
    last_name: NotRequired[str | None]
    """The last name."""
    contact_data: NotRequired[dict[str, Any]]
    """Custom fields; each is a variable of the calls."""


class CampaignContactListResponse(TypedDict):
    contacts: list[CampaignContactResponse]
    """The contacts of this page."""
    total: NotRequired[int]
    """How many entries the filters let through. Only with `include_total=true`."""
    total_is_capped: NotRequired[bool]
    """Whether there are more than `total`: counting stops at 10,000."""
    has_more: bool
    """Whether there are entries after this page."""


class CampaignContactResponse(TypedDict):
    id: str
    """Its id."""
    campaign_id: str
    """The campaign."""
    phone: str | None
    """E.164; null once the contact is erased with its last call."""
    first_name: str | None
    """The first name."""
    last_name: str | None
    """The last name."""
    contact_data: dict[str, Any]
    """Your own fields of the contact."""
    status: Literal["pending", "dialing", "in_progress", "completed", "failed", "busy", "no_answer", "voicemail", "skipped", "cancelled"]
    """Where it stands."""
    attempts: int
    """How often it was dialled."""
    next_retry_at: str | None
    """When a pending contact is called, where it waits for a retry, for its calling hours to open, for another live call with its number to end, or for the time that it was rescheduled to."""
    last_call_id: str | None
    """The last call."""
    last_outcome: str | None
    """The outcome label of its last call, or how that call ended where there is none; known once the call's end is published."""
    skip_reason: str | None
    """Why it was not dialled; null when it was."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it was last changed."""


class CampaignCreate(TypedDict):
    name: str
    """What it is called."""
    agent_id: str
    """The agent."""
    caller_id: NotRequired[str | None]
    """A phone number's id. Without one: the number of the agent, or the tenant's first verified one."""
    outcome_labels: NotRequired[list[str]]
    """What a call may end as. The first is the primary outcome: the one that the campaign is for."""
    success_criteria: NotRequired[str | None]
    """In words: when a call has reached its goal."""
    extraction_schema: NotRequired[dict[str, Any] | None]
    """JSON Schema of the data that is extracted from each call: an object, or just a map of its fields. What the model answers is held against it; every field may be null. Keywords: `$schema`, `$comment`, `title`, `description`, `default`, `examples`, `deprecated`, `readOnly`, `writeOnly`, `type`, `enum`, `const`, `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `multipleOf`, `minLength`, `maxLength`, `pattern`, `format`, `items`, `prefixItems`, `minItems`, `maxItems`, `uniqueItems`, `properties`, `required`, `additionalProperties`, `propertyNames`, `minProperties`, `maxProperties`, `anyOf`, `oneOf`, `allOf`, `$ref`, `$defs`, `definitions`; any other is refused, at every depth. `$ref` leads to `#/$defs/<name>` and never back to itself. `pattern` is in the syntax of RE2, without lookaround and back-references. Formats: date, date-time, time, duration, email, uri, uuid, ipv4, ipv6; others are hints. At most 32 KiB as JSON."""
    max_concurrent: NotRequired[int]
    """Calls at the same time, at most; never exceeded."""
    calls_per_minute: NotRequired[int]
    """Calls begun a minute, on average. What an interruption cost is made up for at 120 % of it, as far back as a minute. Contacts whose calling hours are closed do not count."""
    scheduled_start: NotRequired[str | None]
    """A start before this moment schedules the campaign."""
    retry_policy: NotRequired[RetryPolicyInput]
    """Busy, no answer and failure are tried again after these delays, then final."""
    contacts: list[CampaignContactCreate]
    """The people that the campaign calls."""


class CampaignCreateResponse(TypedDict):
    id: str
    """Its id."""
    campaign_id: str
    """The same as `id`."""
    name: str
    """What it is called."""
    status: Literal["draft", "scheduled", "running", "paused", "completed", "cancelled"]
    """Where it stands."""
    total_contacts: int
    """How many contacts it has."""
    duplicate_count: int
    """Contacts that were left out because their number occurred before."""
    duplicates: list[DuplicateContact]
    """The first 1,000."""


class CampaignCriteriaUpdate(TypedDict):
    outcome_labels: NotRequired[list[str]]
    """What a call may end as. The first is the primary outcome: the one that the campaign is for."""
    success_criteria: NotRequired[str | None]
    """In words: when a call has reached its goal."""
    extraction_schema: NotRequired[dict[str, Any] | None]
    """JSON Schema of the data that is extracted from each call: an object, or just a map of its fields. What the model answers is held against it; every field may be null. Keywords: `$schema`, `$comment`, `title`, `description`, `default`, `examples`, `deprecated`, `readOnly`, `writeOnly`, `type`, `enum`, `const`, `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `multipleOf`, `minLength`, `maxLength`, `pattern`, `format`, `items`, `prefixItems`, `minItems`, `maxItems`, `uniqueItems`, `properties`, `required`, `additionalProperties`, `propertyNames`, `minProperties`, `maxProperties`, `anyOf`, `oneOf`, `allOf`, `$ref`, `$defs`, `definitions`; any other is refused, at every depth. `$ref` leads to `#/$defs/<name>` and never back to itself. `pattern` is in the syntax of RE2, without lookaround and back-references. Formats: date, date-time, time, duration, email, uri, uuid, ipv4, ipv6; others are hints. At most 32 KiB as JSON."""


class CampaignExtractedDataResponse(TypedDict):
    data: list[CampaignExtractedRow]
    """The rows of this page."""
    total: NotRequired[int]
    """How many entries the filters let through. Only with `include_total=true`."""
    total_is_capped: NotRequired[bool]
    """Whether there are more than `total`: counting stops at 10,000."""
    has_more: bool
    """Whether there are entries after this page."""


class CampaignExtractedRow(TypedDict):
    call_id: str
    """The call."""
    contact_id: str | None
    """The contact."""
    phone: str | None
    """The number, in E.164."""
    first_name: str | None
    """The first name."""
    last_name: str | None
    """The last name."""
    started_at: str
    """When it began; null before."""
    duration_seconds: float
    """How long it took, in seconds."""
    outcome: str | None
    """The label of the outcome; null as long as there is none."""
    outcome_score: float | None
    """How well the outcome fits, 0 to 1; null as long as there is none."""
    summary: str | None
    """What happened, in a few sentences; null as long as there is none."""
    sentiment: str | None
    """The mood of the caller; null where it is not known."""
    extracted_data: dict[str, Any] | None
    """What was extracted by the extraction schema; null for nothing."""


class CampaignInsights(TypedDict):
    campaign_id: str
    """The campaign."""
    insights: list[CampaignInsightsInsight]
    """Empty while fewer than 20 analyses are complete."""
    source: Literal["language_model", "statistics"] | None
    """`language_model`: written by the agent's model; `statistics`: counted, where the agent uses the local model, which writes no prose. Null while there are none."""
    analyses: int
    """Complete analyses at that time."""
    generated_at: str | None
    """When it was made; null as long as there is none."""


class CampaignInsightsInsight(TypedDict):
    title: str
    """One line that says it."""
    description: str
    """What it is, in words."""
    recommendation: str
    """What to do about it."""
    severity: Literal["low", "medium", "high"]
    """How much it matters."""
    call_ids: list[str]
    """Calls that show it."""


class CampaignListResponse(TypedDict):
    campaigns: list[CampaignSummary]
    """The campaigns of this page, newest first."""
    total: NotRequired[int]
    """How many entries the filters let through. Only with `include_total=true`."""
    total_is_capped: NotRequired[bool]
    """Whether there are more than `total`: counting stops at 10,000."""
    has_more: bool
    """Whether there are entries after this page."""
    next_cursor: str | None
    """Pass it as `cursor` to get the next page; null on the last one."""


class CampaignResponse(TypedDict):
    name: str
    """What it is called."""
    agent_id: str
    """The agent."""
    caller_id: str | None
    """The number that is shown to the callee, by its id; null for the tenant’s first that may call."""
    outcome_labels: list[str]
    """The outcomes that a call can have; the first is the primary one."""
    success_criteria: str | None
    """When a call counts as a success, in words."""
    extraction_schema: dict[str, Any] | None
    """JSON Schema of what is extracted from each call; null for nothing."""
    max_concurrent: int
    """Calls at the same time, at most."""
    calls_per_minute: int
    """Calls placed a minute, at most."""
    scheduled_start: str | None
    """When it begins by itself; null for when it is started."""
    retry_policy: RetryPolicy
    """Busy, no answer and failure are tried again after these delays, then final."""
    id: str
    """Its id."""
    status: Literal["draft", "scheduled", "running", "paused", "completed", "cancelled"]
    """Where it stands."""
    is_test: bool
    """Made with a sandbox key: it calls carrier test numbers only."""
    total_contacts: int
    """How many contacts it has."""
    waiting_reason: str | None
    """Why a running campaign does not dial just now, for example `agent_inactive`."""
    started_at: str | None
    """When it began; null before."""
    completed_at: str | None
    """When it was over; null before."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it was last changed."""
    calling_hours: CallingHours
    """The agent's, as they are now."""
    contact_counts: CampaignResponseContactCounts
    """Contacts by status."""


class CampaignResponseContactCounts(TypedDict):
    pending: int
    """Contacts that wait to be dialled."""
    dialing: int
    """Contacts that are being dialled."""
    in_progress: int
    """Contacts that are in a call."""
    completed: int
    """Calls that were completed."""
    failed: int
    """Calls that failed."""
    busy: int
    """Contacts whose line was busy."""
    no_answer: int
    """Contacts who did not answer."""
    voicemail: int
    """Contacts whose voicemail answered."""
    skipped: int
    """Contacts that the compliance gate did not allow."""
    cancelled: int
    """Contacts that were not dialled any more when the campaign was cancelled."""


class CampaignStartedEvent(TypedDict):
    event_id: str
    """The event. The same on every attempt and replay: drop what you have seen."""
    event_type: Literal["campaign.started"]
    """The event type."""
    tenant_id: str
    """The tenant."""
    sandbox: bool
    """Whether it belongs to the sandbox rather than to production."""
    occurred_at: int
    """Unix seconds."""
    data: CampaignStartedEventData
    """What belongs to the event type."""


class CampaignStartedEventData(TypedDict):
    campaign_id: str
    """The campaign."""
    total_contacts: int
    """How many contacts it has."""


class CampaignSummary(TypedDict):
    name: str
    """What it is called."""
    agent_id: str
    """The agent."""
    caller_id: str | None
    """The number that is shown to the callee, by its id; null for the tenant’s first that may call."""
    outcome_labels: list[str]
    """The outcomes that a call can have; the first is the primary one."""
    success_criteria: str | None
    """When a call counts as a success, in words."""
    extraction_schema: dict[str, Any] | None
    """JSON Schema of what is extracted from each call; null for nothing."""
    max_concurrent: int
    """Calls at the same time, at most."""
    calls_per_minute: int
    """Calls placed a minute, at most."""
    scheduled_start: str | None
    """When it begins by itself; null for when it is started."""
    retry_policy: RetryPolicy
    """Busy, no answer and failure are tried again after these delays, then final."""
    id: str
    """Its id."""
    status: Literal["draft", "scheduled", "running", "paused", "completed", "cancelled"]
    """Where it stands."""
    is_test: bool
    """Made with a sandbox key: it calls carrier test numbers only."""
    total_contacts: int
    """How many contacts it has."""
    waiting_reason: str | None
    """Why a running campaign does not dial just now, for example `agent_inactive`."""
    started_at: str | None
    """When it began; null before."""
    completed_at: str | None
    """When it was over; null before."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it was last changed."""


class CampaignTransitionResponse(TypedDict):
    id: str
    """Its id."""
    campaign_id: str
    """The same as `id`."""
    status: Literal["draft", "scheduled", "running", "paused", "completed", "cancelled"]
    """Where it stands."""
    previous_status: Literal["draft", "scheduled", "running", "paused", "completed", "cancelled"]
    """Where the campaign stood before."""


class ChangedBy(TypedDict):
    key_id: str
    """The API key, or the session: `dashboard/…`, `identity/…`."""
    user_id: str | None
    """The person; null where a key does not say."""


class CheckoutRequest(TypedDict):
    success_url: NotRequired[str]
    """Where the user goes afterwards; default: the dashboard."""
    cancel_url: NotRequired[str]
    """Where the payment provider leads back to when it is broken off."""
    plan: NotRequired[Literal["starter", "growth", "scale"]]
    """Of the deprecated checkout alone."""


class CheckoutResponse(TypedDict):
    session_id: str
    """The session."""
    checkout_url: str
    """The payment provider's page to send the user to."""
    url: str
    """The same as `checkout_url`."""


class ClerkWebhookRequest(TypedDict):
    type: str
    """Which type it is."""
    data: dict[str, Any]
    """What belongs to the event type."""


class ComplianceCheckListResponse(TypedDict):
    checks: list[ComplianceCheckSummary]
    """What each check found."""
    total: NotRequired[int]
    """How many entries the filters let through. Only with `include_total=true`."""
    total_is_capped: NotRequired[bool]
    """Whether there are more than `total`: counting stops at 10,000."""
    has_more: bool
    """Whether there are entries after this page."""
    next_cursor: str | None
    """Pass it as `cursor` to get the next page; null on the last one."""


class ComplianceCheckRequest(TypedDict):
    to_number: str
    """The number that would be called."""
    from_number: NotRequired[str]
    """Binds the check to this caller ID."""
    agent_id: NotRequired[str]
    """Judges the call of this agent: its calling hours, disclosure and recording. Without one, the number alone is judged, by the default hours (08:00 to 21:00)."""


class ComplianceCheckResponse(TypedDict):
    id: str
    """Its id."""
    decision: Literal["allowed", "denied"]
    """Whether the call may be placed."""
    reasons: list[str]
    """`do_not_call`; `outside_calling_hours` (see `next_open_at`); `no_calling_hours`: the agent has none; `region_unknown`: no hour is good in all places where the number may be; `concurrent_calls_limit`; `disclosure_missing`; `disclosure_names_no_ai`."""
    checks: ComplianceCheckResponseChecks
    """What each check found."""
    to_number: str | None
    """Null once its call is erased."""
    from_number: str | None
    """The calling number, in E.164."""
    agent_id: str | None
    """The agent."""
    state: str | None
    """US state by the area code; null outside of the US and where the number does not show it."""
    timezone: str | None
    """The callee's, where it is one for sure."""
    timezones: list[str]
    """Every zone in which the callee may be. The hours must be open in all of them."""
    requires_two_party_consent: bool | None
    """Whether everybody must consent to a recording; true where the state is not known."""
    recording: Literal["off", "announced", "unannounced"] | None
    """What that makes of the recording of the call; null without an agent."""
    next_open_at: str | None
    """Outside of calling hours: when they open next."""
    inputs: ComplianceCheckResponseInputs
    """What the decision was made from."""
    checked_at: str
    """When it was checked."""


class ComplianceCheckResponseChecks(TypedDict):
    dnc: ComplianceCheckResponseChecksDnc
    """Of the do-not-call lists."""
    calling_hours: ComplianceCheckResponseChecksCallingHours
    """When the agent may call, by the day of the week."""
    recording_consent: ComplianceCheckResponseChecksRecordingConsent
    """Of the law on recording."""
    capacity: ComplianceCheckResponseChecksCapacity
    """Of the calls that may be live at once."""
    disclosure: ComplianceCheckResponseChecksDisclosure
    """What says at the beginning that an AI speaks."""


class ComplianceCheckResponseChecksCallingHours(TypedDict):
    outcome: Literal["passed", "failed", "not_evaluated"]
    """`not_evaluated`: needs an agent to be judged; it counts neither as passed nor as failed."""
    reason: str | None
    """Why, in words."""


class ComplianceCheckResponseChecksCapacity(TypedDict):
    outcome: Literal["passed", "failed", "not_evaluated"]
    """`not_evaluated`: needs an agent to be judged; it counts neither as passed nor as failed."""
    reason: str | None
    """Why, in words."""


class ComplianceCheckResponseChecksDisclosure(TypedDict):
    outcome: Literal["passed", "failed", "not_evaluated"]
    """`not_evaluated`: needs an agent to be judged; it counts neither as passed nor as failed."""
    reason: str | None
    """Why, in words."""


class ComplianceCheckResponseChecksDnc(TypedDict):
    outcome: Literal["passed", "failed", "not_evaluated"]
    """`not_evaluated`: needs an agent to be judged; it counts neither as passed nor as failed."""
    reason: str | None
    """Why, in words."""


class ComplianceCheckResponseChecksRecordingConsent(TypedDict):
    outcome: Literal["passed", "failed", "not_evaluated"]
    """`not_evaluated`: needs an agent to be judged; it counts neither as passed nor as failed."""
    reason: str | None
    """Why, in words."""


class ComplianceCheckResponseInputs(TypedDict):
    evaluated_at: str
    """The time that was judged."""
    callee: ComplianceCheckResponseInputsCallee
    """What is known of the called number."""
    caller: ComplianceCheckResponseInputsCaller | None
    """What is known of the calling number; null without one."""
    listed_by: list[Literal["tenant", "operator"]]
    """The do-not-call lists that the number is on."""
    calling_hours: CallingHours
    """The agent's; without an agent the default ones."""
    agent: ComplianceCheckResponseInputsAgent | None
    """The agent that is meant."""
    live_calls: int
    """Calls that are live now."""
    max_concurrent_calls: int
    """Calls that may be live at once."""


class ComplianceCheckResponseInputsAgent(TypedDict):
    id: str
    """Its id."""
    disclosure: str | None
    """What says at the beginning that an AI speaks."""
    language: str
    """The language that the agent speaks, in BCP 47."""
    recording: ComplianceCheckResponseInputsAgentRecording
    """Whether and how calls are recorded."""


class ComplianceCheckResponseInputsAgentRecording(TypedDict):
    enabled: bool
    """Whether it is done."""
    announce: bool
    """Whether the recording is announced."""


class ComplianceCheckResponseInputsCallee(TypedDict):
    is_test: bool
    """A carrier test number."""
    state: str | None
    """The state of the US, where it is known."""
    zones: list[str]
    """The time zones that the number can be in."""


class ComplianceCheckResponseInputsCaller(TypedDict):
    is_test: bool
    """A carrier test number."""
    state: str | None
    """The state of the US, where it is known."""
    zones: list[str]
    """The time zones that the number can be in."""


class ComplianceCheckSummary(TypedDict):
    id: str
    """Its id."""
    decision: Literal["allowed", "denied"]
    """Whether the call may be placed."""
    reasons: list[str]
    """`do_not_call`; `outside_calling_hours` (see `next_open_at`); `no_calling_hours`: the agent has none; `region_unknown`: no hour is good in all places where the number may be; `concurrent_calls_limit`; `disclosure_missing`; `disclosure_names_no_ai`."""
    checks: ComplianceCheckSummaryChecks
    """What each check found."""
    to_number: str | None
    """Null once its call is erased."""
    from_number: str | None
    """The calling number, in E.164."""
    agent_id: str | None
    """The agent."""
    state: str | None
    """US state by the area code; null outside of the US and where the number does not show it."""
    timezone: str | None
    """The callee's, where it is one for sure."""
    timezones: list[str]
    """Every zone in which the callee may be. The hours must be open in all of them."""
    requires_two_party_consent: bool | None
    """Whether everybody must consent to a recording; true where the state is not known."""
    recording: Literal["off", "announced", "unannounced"] | None
    """What that makes of the recording of the call; null without an agent."""
    next_open_at: str | None
    """Outside of calling hours: when they open next."""
    checked_at: str
    """When it was checked."""


class ComplianceCheckSummaryChecks(TypedDict):
    dnc: ComplianceCheckSummaryChecksDnc
    """Of the do-not-call lists."""
    calling_hours: ComplianceCheckSummaryChecksCallingHours
    """When the agent may call, by the day of the week."""
    recording_consent: ComplianceCheckSummaryChecksRecordingConsent
    """Of the law on recording."""
    capacity: ComplianceCheckSummaryChecksCapacity
    """Of the calls that may be live at once."""
    disclosure: ComplianceCheckSummaryChecksDisclosure
    """What says at the beginning that an AI speaks."""


class ComplianceCheckSummaryChecksCallingHours(TypedDict):
    outcome: Literal["passed", "failed", "not_evaluated"]
    """`not_evaluated`: needs an agent to be judged; it counts neither as passed nor as failed."""
    reason: str | None
    """Why, in words."""


class ComplianceCheckSummaryChecksCapacity(TypedDict):
    outcome: Literal["passed", "failed", "not_evaluated"]
    """`not_evaluated`: needs an agent to be judged; it counts neither as passed nor as failed."""
    reason: str | None
    """Why, in words."""


class ComplianceCheckSummaryChecksDisclosure(TypedDict):
    outcome: Literal["passed", "failed", "not_evaluated"]
    """`not_evaluated`: needs an agent to be judged; it counts neither as passed nor as failed."""
    reason: str | None
    """Why, in words."""


class ComplianceCheckSummaryChecksDnc(TypedDict):
    outcome: Literal["passed", "failed", "not_evaluated"]
    """`not_evaluated`: needs an agent to be judged; it counts neither as passed nor as failed."""
    reason: str | None
    """Why, in words."""


class ComplianceCheckSummaryChecksRecordingConsent(TypedDict):
    outcome: Literal["passed", "failed", "not_evaluated"]
    """`not_evaluated`: needs an agent to be judged; it counts neither as passed nor as failed."""
    reason: str | None
    """Why, in words."""


class ConfirmRequest(TypedDict):
    phone_number: str
    """The number, in E.164."""
    code: str
    """The six digits that were sent."""


class ConfirmResponse(TypedDict):
    phone_number: str
    """The number, in E.164."""
    status: Literal["approved"]
    """Where it stands."""
    verified_at: str
    """When the number was verified."""
    phone_number_ids: list[str]
    """The tenant's numbers that are verified by it."""
    user_verified: bool
    """Whether the caller's user record was stamped; in the sandbox never."""


class ConnectionHealth(TypedDict):
    slug: str
    """The name in paths."""
    connected: bool
    """Whether it is connected."""
    health: Literal["healthy", "unhealthy", "unknown", "not_connected"]
    """`unknown`: connected, but the vendor cannot be asked without doing something."""
    account: str | None
    """The account's name at the vendor, where it gives one."""
    checked_at: str
    """When it was checked."""
    detail: str
    """What was found, in words."""


class ConnectResponse(TypedDict):
    redirect_url: str
    """Where the person consents. For a session of the dashboard it must be opened in the browser that got this answer: a cookie of the answer is needed when the vendor sends the person back."""
    expires_at: str
    """From when on it no longer works."""


class ContactRescheduleRequest(TypedDict):
    next_retry_at: str
    """Strictly in the future."""


class ContactsUpload(TypedDict):
    file: str
    """CSV in UTF-8 or UTF-16 with a header. Required column: `phone` (or `phone_number`); optional: `first_name`, `last_name`; any other becomes a field of `contact_data`."""


class CostPerMinute(TypedDict):
    stt: float
    """USD, with at most 6 decimals."""
    llm: float
    """Language models, and speech-to-speech ones."""
    tts: float
    """USD, with at most 6 decimals."""
    carrier: float
    """USD, with at most 6 decimals."""
    service: float
    """USD, with at most 6 decimals."""
    total: float
    """USD, with at most 6 decimals."""


class CSVUploadResponse(TypedDict):
    id: str
    """Its id."""
    campaign_id: str
    """The same as `id`."""
    name: str
    """What it is called."""
    status: Literal["draft", "scheduled", "running", "paused", "completed", "cancelled"]
    """Where it stands."""
    total_contacts: int
    """How many contacts it has."""
    duplicate_count: int
    """Contacts that were left out because their number occurred before."""
    duplicates: list[DuplicateContact]
    """The first 1,000."""
    total_rows: int
    """Rows of the file, without its header and empty lines."""
    error_count: int
    """Rows that were left out."""
    errors: list[CSVUploadResponseError]
    """Rows that were left out, by their line in the file; the first 1,000."""


class CSVUploadResponseError(TypedDict):
    line: int
    """The line of the file; the header is line 1."""
    code: str
    """What it is, for programs."""
    message: str
    """What is wrong, for people."""


class DayHours(TypedDict):
    start: str
    """From, as HH:MM."""
    end: str
    """Until, as HH:MM; `24:00` for the end of the day."""


class DayHoursInput(TypedDict):
    start: str
    """From, as HH:MM."""
    end: str
    """Until, as HH:MM; `24:00` for the end of the day."""


class DeliveryDetailResponse(TypedDict):
    id: str
    """Its id."""
    webhook_id: str
    """The subscription; null where there is none any more."""
    event_id: str
    """The event. The same on every attempt and replay: drop what you have seen."""
    event_type: str
    """The event type."""
    url: str
    """The address."""
    attempt: int
    """Which attempt this was, from 1."""
    status: Literal["pending", "succeeded", "failed", "skipped"]
    """Of this attempt. `failed` is followed by a row of the next attempt, unless it was the last; `skipped`: the subscription is gone or switched off."""
    response_status: int | None
    """Null when there was no answer."""
    error: str | None
    """What went wrong; null when nothing did."""
    origin: Literal["event", "replay", "test"]
    """The event itself, a replay, or a test."""
    next_attempt_at: str | None
    """When a pending attempt is due."""
    created_at: str
    """When it was created."""
    delivered_at: str | None
    """When the receiver took it; null before."""
    body: str | None
    """The very text that is sent and signed; null once its call was erased."""


class DeliveryResponse(TypedDict):
    id: str
    """Its id."""
    webhook_id: str
    """The subscription; null where there is none any more."""
    event_id: str
    """The event. The same on every attempt and replay: drop what you have seen."""
    event_type: str
    """The event type."""
    url: str
    """The address."""
    attempt: int
    """Which attempt this was, from 1."""
    status: Literal["pending", "succeeded", "failed", "skipped"]
    """Of this attempt. `failed` is followed by a row of the next attempt, unless it was the last; `skipped`: the subscription is gone or switched off."""
    response_status: int | None
    """Null when there was no answer."""
    error: str | None
    """Why the attempt failed; null when it did not."""
    origin: Literal["event", "replay", "test"]
    """The event itself, a replay, or a test."""
    next_attempt_at: str | None
    """When a pending attempt is due."""
    created_at: str
    """When it was created."""
    delivered_at: str | None
    """When the receiver took it; null before."""


class Disclosure(TypedDict):
    text: str
    """Discloses that an AI speaks. Without one, the compliance gate denies outbound calls."""
    position: Literal["before_first_message"]
    """Where it is said."""


class DisclosureInput(TypedDict):
    text: NotRequired[str]
    """Discloses that an AI speaks. Without one, the compliance gate denies outbound calls."""
    position: NotRequired[Literal["before_first_message"]]
    """Where it is said."""


class DisconnectResponse(TypedDict):
    slug: str
    """The name in paths."""
    connected: Literal[False]
    """Whether it is connected."""
    revocation: Literal["revoked", "pending", "not_offered"]
    """`pending`: the vendor has not taken the tokens back, and is asked again for some hours. `not_offered`: keys and webhook URLs are revoked by their owner."""


class DncEntryCreate(TypedDict):
    phone_number: str
    """The number, in E.164."""
    note: NotRequired[str]
    """Your own words on why."""


class DncEntryResponse(TypedDict):
    id: str
    """Its id."""
    phone_number: str
    """The number, in E.164."""
    source: Literal["api", "import", "opt_out"]
    """`api`: added by request; `import`: by a file; `opt_out`: its owner asked for it in a call."""
    note: str | None
    """A remark, for people."""
    call_id: str | None
    """The call in which its owner asked not to be called."""
    quote: str | None
    """The owner's words in that call."""
    created_at: str
    """When it was created."""


class DncImportResponse(TypedDict):
    rows: int
    """Rows of the file but for its header."""
    added: int
    """Numbers that were not on the list before."""
    already_listed: int
    """Numbers that were; their entries stay as they are."""
    error_count: int
    """Rows that were left out."""
    errors: list[DncImportResponseError]
    """The first 1,000 rows that were left out."""


class DncImportResponseError(TypedDict):
    line: int
    """The line of the file; the header is line 1."""
    code: str
    """What it is, for programs."""
    message: str
    """What is wrong, for people."""


class DncImportUpload(TypedDict):
    file: str
    """CSV in UTF-8 or UTF-16, at most 100,000 rows: with a header that names a column `phone`, `phone_number`, `number` or `telephone`, or without one and the numbers first."""


class DncListResponse(TypedDict):
    entries: list[DncEntryResponse]
    """The entries of this page, newest first."""
    total: NotRequired[int]
    """How many entries the filters let through. Only with `include_total=true`."""
    total_is_capped: NotRequired[bool]
    """Whether there are more than `total`: counting stops at 10,000."""
    has_more: bool
    """Whether there are entries after this page."""
    next_cursor: str | None
    """Pass it as `cursor` to get the next page; null on the last one."""


class DuplicateContact(TypedDict):
    line: int
    """The line of the file, or the place in `contacts` counted from 1."""
    first_line: int
    """The line on which it stood first."""
    phone: str
    """The number, in E.164."""


class ErrorResponse(TypedDict):
    detail: str
    """What went wrong, for people."""
    code: str
    """What went wrong, for programs: stable, snake_case."""
    request_id: str
    """Quote it when you ask for help."""


class EventCatalogResponse(TypedDict):
    event_types: list[EventCatalogResponseEventType]
    """Every public event type."""


class EventCatalogResponseEventType(TypedDict):
    event_type: str
    """The event type."""
    description: str
    """What it is, in words."""
    json_schema: dict[str, Any]
    """JSON Schema of the body that is sent."""
    example: dict[str, Any]
    """A body as it is sent."""


class EventListResponse(TypedDict):
    events: list[EventResponse]
    """The timeline, oldest first."""
    has_more: bool
    """Whether there are entries after this page."""
    next_cursor: str | None
    """Pass it as `cursor` to get the next page; null on the last one."""


class EventResponse(TypedDict):
    id: str
    """Its id."""
    event_type: str
    """The event type."""
    call_id: str | None
    """The call that it is of; null for what is of no call."""
    body: str
    """The very text that receivers are sent."""
    created_at: str
    """When it was created."""


class ExpectedLatency(TypedDict):
    response_latency_ms: float
    """From the end of the caller's speech to the agent's first sound, where the words sound finished; the median."""
    in_doubt_latency_ms: float
    """The same where the longest pause (`max_endpointing_ms`) is waited for."""
    is_at_least: bool
    """Whether it will be more: a part is not known, or is a vendor's figure without the network."""
    basis: Literal["measured", "composed"]
    """`measured`: of its calls with these providers, models and turn-taking. `composed`: the sum of the parts."""
    turns: int
    """Turns of its own calls, with these providers and models, that were looked at."""
    parts: list[LatencyPart]
    """The stages; what they add makes the composed sum."""


class FallbackVoiceConfig(TypedDict):
    stt: NotRequired[ProviderChoice]
    """The speech recogniser."""
    llm: NotRequired[ProviderChoice]
    """The language model."""
    tts: NotRequired[ProviderChoice]
    """The voice."""


class FallbackVoiceConfigInput(TypedDict):
    stt: NotRequired[ProviderChoiceInput]
    """The speech recogniser."""
    llm: NotRequired[ProviderChoiceInput]
    """The language model."""
    tts: NotRequired[ProviderChoiceInput]
    """The voice."""


class GenerateCriteriaRequest(TypedDict):
    goal: str
    """What the campaign is for, in words."""


class GenerateCriteriaResponse(TypedDict):
    outcome_labels: list[str]
    """The first is the primary outcome."""
    success_criteria: str
    """When a call counts as a success, in words."""
    extraction_schema: dict[str, Any]
    """JSON Schema of what is extracted from each call; null for nothing."""
    source: Literal["model", "defaults"]
    """`defaults` when no model could answer."""


class HandoffTarget(TypedDict):
    agent_id: str
    """The agent."""
    name: str
    """What it is called."""
    description: str
    """What it is, in words."""


class HandoffTargetInput(TypedDict):
    agent_id: str
    """The agent."""
    name: str
    """What it is called."""
    description: NotRequired[str]
    """What it is, in words."""


class HangupRequest(TypedDict):
    reason: NotRequired[str]
    """Why, in words."""


class HangupResponse(TypedDict):
    call_id: str
    """The call."""
    status: Literal["hanging_up", "already_ended"]
    """Where it stands."""


class HTTPValidationError(TypedDict):
    detail: list[HTTPValidationErrorDetailItem]
    """Every mistake of the request."""
    code: Literal["validation_error"]
    """Always `validation_error`."""
    request_id: str
    """Quote it when you ask for help."""


class HTTPValidationErrorDetailItem(TypedDict):
    loc: list[str | int]
    """Place: path, query, body or header, then the field."""
    msg: str
    """What is wrong there, for people."""
    type: str
    """Which type it is."""


class IceServer(TypedDict):
    urls: str | list[str]
    """The addresses of the server."""
    username: NotRequired[str]
    """The user at the server."""
    credential: NotRequired[str]
    """The password at the server."""


class IceServerInput(TypedDict):
    urls: str | list[str]
    """The addresses of the server."""
    username: NotRequired[str]
    """The user at the server."""
    credential: NotRequired[str]
    """The password at the server."""


class ImportNumberRequest(TypedDict):
    phone_number: str
    """A number that the tenant has; dialing with it needs a verification."""
    provider: NotRequired[Literal["twilio", "telnyx", "plivo", "simulated"]]
    """With a sandbox key the simulated carrier stands for whichever is named; `simulated` itself is for sandbox keys alone."""


class IntegrationInfo(TypedDict):
    slug: str
    """The name in paths."""
    name: str
    """What it is called."""
    description: str
    """What it is, in words."""
    connection_kind: Literal["oauth", "api_key"]
    """Whether `connect` or `api-key-connect` connects it."""
    available: bool
    """Whether this installation can connect it."""
    fields: list[IntegrationInfoField]
    """What `api-key-connect` needs."""
    status: Literal["connected", "not_connected", "reconnect_needed"]
    """Where it stands."""
    connected: bool
    """Whether it is connected."""
    account: str | None
    """Whose account it is, as the vendor says."""
    connected_at: str | None
    """Since when; null when it is not connected."""
    config: dict[str, Any]
    """The settings of the connection."""
    config_hint: str
    """What `config` may say."""
    actions: list[IntegrationInfoAction]
    """What agents' tools of the type `integration` may do."""


class IntegrationInfoAction(TypedDict):
    name: str
    """What it is called."""
    description: str
    """What it is, in words."""
    parameters: dict[str, Any]
    """JSON Schema."""


class IntegrationInfoField(TypedDict):
    name: str
    """What it is called."""
    description: str
    """What it is, in words."""


class InvitationCreate(TypedDict):
    name: str
    """What the person is called here."""
    email: NotRequired[str | None]
    """Shown to members; nothing is sent to it."""
    role: Literal["viewer", "operator", "developer", "owner"]
    """`viewer` reads; `operator` also runs calls, campaigns and the do-not-call list; `developer` also agents, numbers, webhooks, integrations and keys; `owner` also members, settings and billing."""


class InvitationCreateResponse(TypedDict):
    id: str
    """Its id."""
    name: str
    """What the person is called here."""
    email: str | None
    """Their address; null where nobody said."""
    role: Literal["viewer", "operator", "developer", "owner"]
    """`viewer` reads; `operator` also runs calls, campaigns and the do-not-call list; `developer` also agents, numbers, webhooks, integrations and keys; `owner` also members, settings and billing."""
    created_at: str
    """When it was created."""
    expires_at: str
    """From when on it no longer works."""
    url: str
    """Accepts the invitation and signs in, once. Shown here and never again."""


class InvitationListResponse(TypedDict):
    invitations: list[InvitationResponse]
    """Those that can still be accepted, the newest first."""
    has_more: bool
    """Whether there are entries after this page."""
    next_cursor: str | None
    """Pass it as `cursor` to get the next page; null on the last one."""


class InvitationResponse(TypedDict):
    id: str
    """Its id."""
    name: str
    """What the person is called here."""
    email: str | None
    """Their address; null where nobody said."""
    role: Literal["viewer", "operator", "developer", "owner"]
    """`viewer` reads; `operator` also runs calls, campaigns and the do-not-call list; `developer` also agents, numbers, webhooks, integrations and keys; `owner` also members, settings and billing."""
    created_at: str
    """When it was created."""
    expires_at: str
    """From when on it no longer works."""


class KnownModel(TypedDict):
    family: str
    """The beginning of the names; empty: the only model."""
    capabilities: list[str]
    """What the models can do beyond the least."""
    languages: list[str] | None
    """ISO 639 codes, as the vendor lists them; null where it names none."""
    params_schema: dict[str, Any]
    """What `params` may hold for these models, as a JSON Schema."""


class LatencyPart(TypedDict):
    stage: Literal["end_of_turn", "recognition", "model", "voice", "speech_to_speech", "runtime"]
    """What of the answer it is, in the order of time."""
    takes_ms: float | None
    """Null where nobody has said."""
    adds_ms: float
    """What of it the caller waits for: stages overlap, and an answer may be begun early."""
    source: Literal["settings", "own_calls", "platform", "vendor", "unknown"]
    """`settings`: the agent's own. `own_calls`: measured in its calls. `platform`: measured by the maker of this service. `vendor`: the vendor's word, without the network."""
    basis: str
    """Where it comes from, for people."""


class LatencyPercentiles(TypedDict):
    turns: int
    """How many of the agents’ answers were measured."""
    p50: float | None
    """The median."""
    p95: float | None
    """What 95 of 100 are below."""
    p99: float | None
    """What 99 of 100 are below."""


class LineStatistics(TypedDict):
    packets_received: int
    """Packets received."""
    packets_lost: int
    """Packets lost on the way."""
    concealed_frames: int
    """Frames of audio that were made up for lost ones."""
    jitter_ms: float
    """Jitter of the network, in milliseconds."""
    buffer_ms: float
    """How long packets are kept to even it out, in milliseconds."""
    round_trip_ms: float | None
    """Round trip of the network, in milliseconds; null where it is not known."""
    sent_bits_per_second: float
    """Bits sent a second."""
    received_bits_per_second: float
    """Bits received a second."""


class ListPrice(TypedDict):
    as_of: str
    """The month in which the list was read."""
    source_url: str
    """The list."""
    unit: str
    """What the prices are of."""


class LiveLinkResponse(TypedDict):
    live_url: str
    """For `EventSource`: the events."""
    listen_url: str
    """For `WebSocket`: the audio. Add `&channels=stereo` for two channels."""
    expires_at: str
    """Open them until then; what is open goes on."""


class MeasuredCalls(TypedDict):
    calls: int
    """How many of its last 50 completed calls are charged."""
    cost_per_minute: float | None
    """Of those calls together; null where they cost nothing, as in the sandbox."""
    response_latency_ms: MeasuredLatency
    """From the end of the caller's speech to the agent's first sound; null where it never answered."""


class MeasuredLatency(TypedDict):
    p50: float | None
    """The median."""
    p95: float | None
    """What 95 of 100 are below."""


class MemberListResponse(TypedDict):
    members: list[MemberResponse]
    """Who came last first."""
    total: NotRequired[int]
    """How many entries the filters let through. Only with `include_total=true`."""
    total_is_capped: NotRequired[bool]
    """Whether there are more than `total`: counting stops at 10,000."""
    has_more: bool
    """Whether there are entries after this page."""
    next_cursor: str | None
    """Pass it as `cursor` to get the next page; null on the last one."""


class MemberLoginLinkResponse(TypedDict):
    url: str
    """Signs the member in, once. Give it to nobody else."""
    expires_at: str
    """From when on it no longer works."""


class MemberResponse(TypedDict):
    id: str
    """Its id."""
    name: str | None
    """What the person is called here; null where nobody said."""
    email: str | None
    """Their address; null where nobody said."""
    role: Literal["viewer", "operator", "developer", "owner"]
    """`viewer` reads; `operator` also runs calls, campaigns and the do-not-call list; `developer` also agents, numbers, webhooks, integrations and keys; `owner` also members, settings and billing."""
    created_at: str
    """Since when they are a member."""
    last_seen_at: str | None
    """When they were signed in last, to five minutes; null for never."""


class MemberUpdate(TypedDict):
    role: NotRequired[Literal["viewer", "operator", "developer", "owner"]]
    """`viewer` reads; `operator` also runs calls, campaigns and the do-not-call list; `developer` also agents, numbers, webhooks, integrations and keys; `owner` also members, settings and billing."""
    name: NotRequired[str]
    """What the person is called here."""


class NudgePreset(TypedDict):
    id: NotRequired[str]
    """Given by the service where it is left out."""
    label: str
    """What operators see."""
    text: str
    """The words."""


class NudgePresetInput(TypedDict):
    id: NotRequired[str]
    """Given by the service where it is left out."""
    label: str
    """What operators see."""
    text: str
    """The words."""


class NudgePresetsResponse(TypedDict):
    agent_id: str
    """The agent."""
    presets: list[StoredNudgePreset]
    """The presets, in their order."""


class NudgeRequest(TypedDict):
    preset_id: str
    """A nudge preset of the call's agent."""


class OfferTestSessionResponse(TypedDict):
    sdp: str
    """The SDP, as the browser or the media worker made it."""
    type: Literal["answer"]
    """Which type it is."""
    pc_id: str
    """Names the connection in later offers."""


class OperatorAction(TypedDict):
    id: str
    """Its id."""
    call_id: str
    """The call."""
    action: Literal["whisper", "nudge", "transfer", "hangup", "pause_recording", "resume_recording", "erase"]
    """The integration's action."""
    api_key_id: str
    """The credential that asked for it."""
    actor: Actor | None
    """Who asked for it; null in rows from before it was kept."""
    details: dict[str, Any]
    """What was asked for."""
    status: Literal["requested", "carried_out", "failed"]
    """`requested`: written before the command left; what became of it is not known."""
    error_code: str | None
    """What went wrong, for programs; null when nothing did."""
    created_at: str
    """When it was created."""
    completed_at: str | None
    """When it was over; null before."""


class OperatorActionAccepted(TypedDict):
    call_id: str
    """The call."""
    action_id: str
    """The row in the call's operator actions."""
    status: Literal["accepted"]
    """Where it stands."""


class OperatorActionListResponse(TypedDict):
    operator_actions: list[OperatorAction]
    """All of them, newest first."""
    total: int
    """How many there are in all."""
    has_more: Literal[False]
    """Whether there are entries after this page."""
    next_cursor: str | None
    """Always null: the list comes whole."""


class OverviewResponse(TypedDict):
    sandbox: bool
    """Whether these are the calls of sandbox keys."""
    period: OverviewResponsePeriod
    """Calls that were created in these days, in UTC."""
    totals: OverviewResponseTotals
    """The sums."""
    by_status: CallsByStatus
    """How many calls are in each status."""
    by_day: list[OverviewResponseByDayItem]
    """Oldest first; days without calls too."""
    answer_rate: float | None
    """Answered calls of those that are over; null without any."""
    completion_rate: float | None
    """Completed calls of those that are over; null without any."""
    average_duration_ms: float | None
    """Of answered calls that are over; null without any."""
    response_latency_ms: OverviewResponseResponseLatencyMs
    """From the end of the caller's speech to the agent's first sound, over the period's calls; at most 0.8 % too low."""
    primary_outcomes: list[OverviewResponsePrimaryOutcome]
    """Campaigns' calls by the campaign's primary outcome: the first entry of its `outcome_labels`. A campaign without labels counts under `Completed`, by its completed calls."""
    campaigns: list[OverviewResponseCampaign]
    """The 100 campaigns with the most calls."""


class OverviewResponseByDayItem(TypedDict):
    date: str
    """The day, in UTC."""
    calls: int
    """How many calls."""
    answered: int
    """Answered: the call was connected (it reached IN_PROGRESS) and did not turn out to be a voicemail (VOICEMAIL). The same in overview, usage and campaign analytics."""
    completed: int
    """Calls that were completed."""
    failed: int
    """Calls that failed."""
    duration_ms: float
    """How long it took, in milliseconds."""
    cost_usd: float
    """USD, with at most 6 decimals."""


class OverviewResponseCampaign(TypedDict):
    campaign_id: str
    """The campaign."""
    name: str
    """What it is called."""
    status: str
    """Where it stands."""
    primary_outcome: str
    """The outcome that the campaign is after."""
    calls: int
    """How many calls."""
    primary_outcome_count: int
    """Completed calls that came to the primary outcome."""
    primary_outcome_rate: float | None
    """`primary_outcome_count` of its completed calls; null without any."""


class OverviewResponsePeriod(TypedDict):
    start: str
    """The beginning."""
    end: str
    """Inclusive."""
    days: int
    """How many days are covered."""


class OverviewResponsePrimaryOutcome(TypedDict):
    outcome: str
    """The label of the outcome."""
    campaigns: int
    """The campaigns of this page, newest first."""
    calls: int
    """How many calls."""
    count: int
    """Completed calls that came to this outcome."""


class OverviewResponseResponseLatencyMs(TypedDict):
    p50: float | None
    """The median."""
    p95: float | None
    """What 95 of 100 are below."""


class OverviewResponseTotals(TypedDict):
    calls: int
    """How many calls."""
    answered: int
    """Answered: the call was connected (it reached IN_PROGRESS) and did not turn out to be a voicemail (VOICEMAIL). The same in overview, usage and campaign analytics."""
    completed: int
    """Calls that were completed."""
    failed: int
    """Calls that failed."""
    duration_ms: float
    """How long it took, in milliseconds."""
    cost_usd: float
    """USD, with at most 6 decimals."""
    live: int
    """Of these calls, how many are not over yet."""


class PhoneNumberListResponse(TypedDict):
    phone_numbers: list[PhoneNumberResponse]
    """All of them, newest first."""
    total: int
    """How many there are in all."""
    has_more: Literal[False]
    """Whether there are entries after this page."""
    next_cursor: str | None
    """Always null: the list comes whole."""


class PhoneNumberResponse(TypedDict):
    id: str
    """Its id."""
    phone_number: str
    """The number, in E.164."""
    number: str
    """The same as `phone_number`."""
    provider: Literal["twilio", "telnyx", "plivo", "simulated"]
    """The provider, as `GET /api/v1/providers` names it."""
    source: Literal["purchased", "imported", "sandbox"]
    """Where it comes from."""
    agent_id: str | None
    """The agent."""
    caller_id_verified_at: str | None
    """Since when calls may show it; null as long as they may not."""
    attestation: Literal["A", "B", "C"] | None
    """STIR/SHAKEN; null: unknown, which is no refusal. Numbers attested B or C are not dialed with."""
    attestation_source: Literal["purchase", "carrier", "inbound", "operator"] | None
    """Who has said so: `purchase`, the `carrier` of a call made from the number, the signalling of an `inbound` call from it, or the `operator`."""
    sandbox: bool
    """Whether it belongs to the sandbox rather than to production."""
    created_at: str
    """When it was created."""


class PortalResponse(TypedDict):
    portal_url: str
    """The payment provider's page to send the user to; short-lived."""
    url: str
    """The same as `portal_url`."""


class ProviderChoice(TypedDict):
    provider: str
    """The provider, as `GET /api/v1/providers` names it."""
    model: str
    """The provider's model; empty for its usual one."""
    params: dict[str, Any]
    """The provider's own parameters; an OpenAI-compatible server is `base_url`."""


class ProviderChoiceInput(TypedDict):
    provider: str
    """The provider, as `GET /api/v1/providers` names it."""
    model: NotRequired[str]
    """The provider's model; empty for its usual one."""
    params: NotRequired[dict[str, Any]]
    """The provider's own parameters; an OpenAI-compatible server is `base_url`."""


class ProviderListResponse(TypedDict):
    providers: list[ProviderListResponseProvider]
    """What can be named in a voice configuration."""
    has_more: Literal[False]
    """Whether there are entries after this page."""
    next_cursor: str | None
    """Always null: the list comes whole."""


class ProviderListResponseProvider(TypedDict):
    kind: Literal["stt", "llm", "tts", "realtime"]
    """Which kind it is."""
    provider: str
    """The provider, as `GET /api/v1/providers` names it."""
    models: list[str] | None
    """Beginnings of model names; null for any model."""
    default_model: str | None
    """What an empty model means; null where there is but one."""
    known_models: list[KnownModel]
    """What is known of the models; where any model is taken, not all that there are."""
    params_schema: dict[str, Any]
    """What `params` may hold, as a JSON Schema: for most models. Others have no effect."""
    list_price: ListPrice | None
    """The price list by which usage is charged; null for what costs nothing."""
    note: str
    """A remark, for people."""
    configured: bool
    """Whether agents of yours without a key of their own can use it in this installation."""
    account: Literal["tenant", "installation"] | None
    """Whose key they then use; null where there is none, or none is needed."""
    environment: list[str]
    """The variables that hold its key and its address."""
    model_in_use: str | None
    """Of `local` recognisers and voices: the model that is installed; null without one."""
    is_default: bool
    """Whether an agent that names no provider of this kind gets this one."""


class ProvisionRequest(TypedDict):
    phone_number: str
    """The number, in E.164."""
    provider: NotRequired[Literal["twilio", "telnyx", "plivo", "simulated"]]
    """With a sandbox key the simulated carrier stands for whichever is named; `simulated` itself is for sandbox keys alone."""


class RecordingReadyEvent(TypedDict):
    event_id: str
    """The event. The same on every attempt and replay: drop what you have seen."""
    event_type: Literal["recording.ready"]
    """The event type."""
    tenant_id: str
    """The tenant."""
    sandbox: bool
    """Whether it belongs to the sandbox rather than to production."""
    occurred_at: int
    """Unix seconds."""
    data: RecordingReadyEventData
    """What belongs to the event type."""


RecordingReadyEventData = TypedDict(
    "RecordingReadyEventData",
    {
        "call_id": "str",
        "agent_id": "str",
        "direction": "CallDirection",
        "from": "str",
        "to": "str",
        "agents": "NotRequired[list[CallSpeaker]]",
        "recording_url": "str",
        "recording_url_expires_at": "str",
        "duration_ms": "float",
    },
)


class RecordingSettings(TypedDict):
    enabled: bool
    """Whether it is done."""
    announce: bool
    """Whether the recording is announced."""
    announcement: str
    """By what words, in the agent's language, the recording is announced."""


class RecordingSettingsInput(TypedDict):
    enabled: NotRequired[bool]
    """Whether it is done."""
    announce: NotRequired[bool]
    """Whether the recording is announced."""
    announcement: NotRequired[str]
    """By what words, in the agent's language, the recording is announced."""


class RecordingUrlResponse(TypedDict):
    recording_url: str
    """Where the recording is."""
    url: str
    """The same as `recording_url`."""
    expires_at: str
    """From when on it no longer works."""
    duration_ms: float | None
    """How long it took, in milliseconds."""


class RetentionSettings(TypedDict):
    recordings_days: int | None
    """Days after which recordings are erased; null: never."""
    transcripts_days: int | None
    """Days after which what was said is erased: transcript, tool inputs and outputs, decision log, what operators wrote. Summary, outcome and extracted data stay. Null: never."""
    calls_days: int | None
    """Days after which calls are erased as by `DELETE /api/v1/calls/{call_id}`; null: never."""


class RetryPolicy(TypedDict):
    max_attempts: int
    """Calls per contact, the first included; those that end before anything is dialed do not count."""
    busy_delay_seconds: int
    """How long to wait after a busy line, in seconds."""
    no_answer_delay_seconds: int
    """How long to wait after nobody answered, in seconds."""
    failed_delay_seconds: int
    """How long to wait after a failed call, in seconds."""


class RetryPolicyInput(TypedDict):
    max_attempts: NotRequired[int]
    """Calls per contact, the first included; those that end before anything is dialed do not count."""
    busy_delay_seconds: NotRequired[int]
    """How long to wait after a busy line, in seconds."""
    no_answer_delay_seconds: NotRequired[int]
    """How long to wait after nobody answered, in seconds."""
    failed_delay_seconds: NotRequired[int]
    """How long to wait after a failed call, in seconds."""


class ScorecardCriterion(TypedDict):
    name: str
    """What it is called."""
    description: str
    """What it is, in words."""
    weight: float
    """How much it counts among the others."""


class ScorecardCriterionInput(TypedDict):
    name: str
    """What it is called."""
    description: NotRequired[str]
    """What it is, in words."""
    weight: NotRequired[float]
    """How much it counts among the others."""


class SdpOffer(TypedDict):
    sdp: str
    """A session description (RFC 8866) with one audio section that offers Opus."""
    type: Literal["offer"]
    """Only offers are taken."""
    pc_id: NotRequired[str]
    """Of an earlier answer: renegotiates that connection, for example to restart ICE. Left out: a new one."""
    restart_pc: NotRequired[bool]
    """The connection is made anew, and the conversation goes on."""
    ice_servers: NotRequired[list[IceServerInput]]
    """The installation's own when absent."""


class SettingsResponse(TypedDict):
    retention: RetentionSettings
    """How long what a call leaves is kept."""


class SettingsUpdate(TypedDict):
    retention: NotRequired[SettingsUpdateRetention]
    """How long what a call leaves is kept; what is left out stays as it is."""


class SettingsUpdateRetention(TypedDict):
    recordings_days: NotRequired[int | None]
    """Days after which recordings are erased; null: never."""
    transcripts_days: NotRequired[int | None]
    """Days after which what was said is erased: transcript, tool inputs and outputs, decision log, what operators wrote. Summary, outcome and extracted data stay. Null: never."""
    calls_days: NotRequired[int | None]
    """Days after which calls are erased as by `DELETE /api/v1/calls/{call_id}`; null: never."""


class StagePercentiles(TypedDict):
    end_of_turn_delay_ms: float | None
    """From the last word to the decision that the turn is over, in milliseconds."""
    stt_final_ms: float | None
    """Until the final transcript, in milliseconds."""
    llm_first_token_ms: float | None
    """Until the model's first token, in milliseconds."""
    tts_first_audio_ms: float | None
    """Until the voice's first audio, in milliseconds."""
    response_latency_ms: float | None
    """From the last word to the first audio of the answer, in milliseconds."""
    barge_in_latency_ms: float | None
    """From the interruption to silence, in milliseconds."""
    waveform_response_latency_ms: float | None
    """The same, measured in the recording after the call: from the caller's last sound to the agent's first."""
    waveform_barge_in_latency_ms: float | None
    """The same, measured in the recording after the call: from the caller's first sound to the agent's last."""


class StartRequest(TypedDict):
    phone_number: str
    """The number, in E.164."""
    channel: NotRequired[Literal["sms", "voice"]]
    """How the code is sent."""


class StartResponse(TypedDict):
    phone_number: str
    """The number, in E.164."""
    channel: Literal["sms", "voice"]
    """How the code is sent."""
    status: Literal["pending"]
    """Where it stands."""
    expires_at: str
    """From when on it no longer works."""


class StoredNudgePreset(TypedDict):
    id: str
    """Its id."""
    label: str
    """What operators see."""
    text: str
    """The words."""


class TestCallRequest(TypedDict):
    agent_id: str
    """The agent."""
    to_number: NotRequired[str]
    """Needed with a production key; with a sandbox key the test person who talks is the default."""
    from_number: NotRequired[str]
    """Default: a verified number of the tenant."""
    variables: NotRequired[dict[str, str | float | bool]]
    """Rendered into prompt and first message as `{{name}}`; a name that is missing becomes nothing."""


class TestFireRequest(TypedDict):
    event_type: Literal["call.started", "call.completed", "call.failed", "call.hangup", "call.transferred", "transcript.ready", "recording.ready", "analysis.ready", "campaign.started", "campaign.completed", "campaign.contact.completed", "agent.activated", "agent.deactivated", "usage.credit_exhausted", "usage.daily_cap_approaching"]
    """The event type."""
    payload: NotRequired[dict[str, Any]]
    """The event's `data`. Default: the example of the catalog."""


class TestSessionPending(TypedDict):
    session_id: str
    """The session."""
    status: Literal["in_progress", "analyzing"]
    """Where it stands."""


class TestSessionResult(TypedDict):
    session_id: str
    """The session."""
    agent_id: str
    """The agent."""
    kind: Literal["text", "websocket", "webrtc"]
    """Which kind it is."""
    call_id: str | None
    """Of a voice session: its test call."""
    ended: bool
    """Whether the session is over."""
    turns: int
    """How often the caller spoke."""
    transcript: list[TranscriptTurn]
    """The turns, in their order."""
    tool_executions: list[ToolExecution]
    """What the agent did by its tools."""
    analysis: CallAnalysis | None
    """What is found out of a call after its end."""
    recording_url: str | None
    """Where the recording is."""
    created_at: str
    """When it was created."""
    ended_at: str | None
    """When it ended; null before."""


class TextTestMessage(TypedDict):
    message: str
    """What the caller says."""
    session_id: NotRequired[str]
    """Continues this session; without it a new one begins."""
    variables: NotRequired[dict[str, str | float | bool]]
    """Rendered into prompt and first message as `{{name}}`, when the session begins."""


class TimelineEvent(TypedDict):
    id: str
    """Its id."""
    type: str
    """Which type it is."""
    at: str
    """When."""
    data: dict[str, Any]
    """What belongs to the event type."""


class ToolExecution(TypedDict):
    tool_call_id: str
    """The execution, as the model names it."""
    name: str
    """What it is called."""
    arguments: Any
    """What the tool was given."""
    result: Any
    """What the tool answered."""
    status: ToolExecutionStatus
    """Where it stands."""
    started_at_ms: float
    """From when, in milliseconds since the call was answered."""
    ended_at_ms: float
    """Until when, in milliseconds since the call was answered."""


class ToolTestRequest(TypedDict):
    tool: ToolTestRequestTool
    """The tool, as in the agent's `tools`; it need not be saved. Secrets that are left out are those of the agent's own tool of this name, its secret headers only where the URL's origin is the same."""
    arguments: NotRequired[dict[str, Any]]
    """As a model would give them; held against `parameters` first."""


class ToolTestRequestTool(TypedDict):
    type: Literal["http"]
    """Which type it is."""
    name: str
    """What it is called."""
    description: NotRequired[str]
    """What it is, in words."""
    parameters: NotRequired[dict[str, Any]]
    """JSON Schema of the arguments, of the type object. Keywords: `$schema`, `$comment`, `title`, `description`, `default`, `examples`, `deprecated`, `readOnly`, `writeOnly`, `type`, `enum`, `const`, `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `multipleOf`, `minLength`, `maxLength`, `pattern`, `format`, `items`, `prefixItems`, `minItems`, `maxItems`, `uniqueItems`, `properties`, `required`, `additionalProperties`, `propertyNames`, `minProperties`, `maxProperties`, `anyOf`, `oneOf`, `allOf`, `$ref`, `$defs`, `definitions`; any other is refused, at every depth. `$ref` leads to `#/$defs/<name>` and never back to itself. `pattern` is in the syntax of RE2, without lookaround and back-references. Formats: date, date-time, time, duration, email, uri, uuid, ipv4, ipv6; others are hints. At most 32 KiB as JSON."""
    url: str
    """The address."""
    method: NotRequired[Literal["GET", "POST", "PUT", "PATCH", "DELETE"]]
    """The HTTP method."""
    headers: NotRequired[dict[str, str]]
    """Sent with every request; shown again."""
    secret_headers: NotRequired[dict[str, str | None]]
    """Sent too, such as `Authorization`; stored encrypted and never shown. Kept when left out, as long as the server's origin stays the same; else they are the whole of them: null keeps the value that is stored under the name, and `{}` removes all."""
    timeout_ms: NotRequired[int]
    """How long the answer may take, in milliseconds."""
    secret: NotRequired[str]
    """Signs each request as webhooks are signed (`X-Service-Signature`); stored encrypted and never shown."""
    side_effects: NotRequired[bool]
    """Whether it changes something outside: then it never runs speculatively."""
    when_caller_speaks: NotRequired[Literal["continue", "cancel"]]
    """What becomes of the tool when the caller speaks while it runs. They are answered at once either way: it goes on and its result enters the conversation when it comes (`continue`, the default), or it is given up (`cancel`)."""
    sensitive: NotRequired[bool]
    """The recording pauses while the tool runs, and its arguments and its result are kept out of the record: for card numbers and the like."""
    secret_header_names: NotRequired[list[str]]
    """The names of the secret headers that are stored. Only shown: what is sent of it is not read."""


class ToolTestResponse(TypedDict):
    status: int | None
    """The HTTP status; null where no answer came. On a call, 2xx is a success."""
    duration_ms: int
    """How long it took, in milliseconds."""
    content_type: str | None
    """As the server names it; null where it names none."""
    body: str
    """The first 16 KiB as UTF-8: what a model reads of it."""
    body_bytes: int
    """Of the whole body."""
    truncated: bool
    """Whether `body` is only the beginning."""
    error: ToolTestResponseError | None
    """Why no answer came: `egress_address_refused` (a private network), `egress_timed_out`, `egress_response_too_large` (1 MiB) or `egress_failed`."""


class ToolTestResponseError(TypedDict):
    code: str
    """What it is, for programs."""
    message: str
    """What is wrong, for people."""


class TranscriptMatch(TypedDict):
    call_id: str
    """The call."""
    role: Literal["caller", "agent", "operator", "tool"]
    """Who speaks."""
    text: str
    """The words."""
    started_at_ms: float
    """From the beginning of the call, in milliseconds."""


class TranscriptReadyEvent(TypedDict):
    event_id: str
    """The event. The same on every attempt and replay: drop what you have seen."""
    event_type: Literal["transcript.ready"]
    """The event type."""
    tenant_id: str
    """The tenant."""
    sandbox: bool
    """Whether it belongs to the sandbox rather than to production."""
    occurred_at: int
    """Unix seconds."""
    data: TranscriptReadyEventData
    """What belongs to the event type."""


TranscriptReadyEventData = TypedDict(
    "TranscriptReadyEventData",
    {
        "call_id": "str",
        "agent_id": "str",
        "direction": "CallDirection",
        "from": "str",
        "to": "str",
        "agents": "NotRequired[list[CallSpeaker]]",
        "turns_count": "int",
        "transcript_url": "str",
    },
)


class TranscriptSearchProgress(TypedDict):
    looked_through: int
    """Calls that were looked through for this page."""
    unreadable: int
    """How many of them lie in an archive that cannot be read now: what was said in them is not searched."""


class TranscriptTurn(TypedDict):
    index: int
    """Its place, from 0."""
    role: TranscriptTurnRole
    """Who speaks."""
    text: str
    """The words."""
    heard_text: str
    """What the other side heard of it: less than `text` where it was interrupted."""
    interrupted: bool
    """Whether it was interrupted."""
    started_at_ms: float
    """From when, in milliseconds since the call was answered."""
    ended_at_ms: float
    """Until when, in milliseconds since the call was answered."""
    confidence: float | None
    """How sure the recogniser is, 0 to 1; null where it does not say."""
    agent_id: NotRequired[str]
    """Who said a turn of the agent, in a call that was handed from one agent to another."""


class TransferDestination(TypedDict):
    name: str
    """What the agent calls it."""
    phone_number: str
    """The number, in E.164."""


class TransferDestinationInput(TypedDict):
    name: str
    """What the agent calls it."""
    phone_number: str
    """The number, in E.164."""


class TrendsResponse(TypedDict):
    sandbox: bool
    """Whether these are the calls of sandbox keys."""
    period: TrendsResponsePeriod
    """Calls that were created in these days, in UTC."""
    totals: TrendsResponseTotals
    """The sums."""
    by_status: CallsByStatus
    """How many calls are in each status."""
    answer_rate: float | None
    """Answered calls of those that are over; null without any."""
    completion_rate: float | None
    """Completed calls of those that are over; null without any."""
    average_duration_ms: float | None
    """Of answered calls that are over; null without any."""
    response_latency_ms: LatencyPercentiles
    """From the end of the caller's speech to the agent's first sound, of the calls that ended then; at most 0.8 % too low, null without any."""
    buckets: list[TrendsResponseBucket]
    """Oldest first; those without calls too."""
    by_agent: list[TrendsResponseByAgentItem]
    """The 100 agents whose calls cost the most, those first."""


class TrendsResponseBucket(TypedDict):
    start: str
    """The first of its days that is in the period."""
    end: str
    """The last of them."""
    calls: int
    """How many calls."""
    answered: int
    """Answered: the call was connected (it reached IN_PROGRESS) and did not turn out to be a voicemail (VOICEMAIL). The same in overview, usage and campaign analytics."""
    completed: int
    """Calls that were completed."""
    failed: int
    """Calls that failed."""
    duration_ms: float
    """How long it took, in milliseconds."""
    cost_usd: float
    """USD, with at most 6 decimals."""
    response_latency_ms: LatencyPercentiles
    """From the end of the caller's speech to the agent's first sound, of the calls that ended then; at most 0.8 % too low, null without any."""


class TrendsResponseByAgentItem(TypedDict):
    agent_id: str | None
    """Null of calls that came to no agent."""
    name: str | None
    """Null where the agent is not there any more."""
    calls: int
    """How many calls."""
    answered: int
    """Answered: the call was connected (it reached IN_PROGRESS) and did not turn out to be a voicemail (VOICEMAIL). The same in overview, usage and campaign analytics."""
    completed: int
    """Calls that were completed."""
    failed: int
    """Calls that failed."""
    duration_ms: float
    """How long it took, in milliseconds."""
    cost_usd: float
    """USD, with at most 6 decimals."""


class TrendsResponsePeriod(TypedDict):
    start: str
    """The beginning."""
    end: str
    """Inclusive."""
    days: int
    """How many days are covered."""
    bucket: Literal["day", "week", "month"]
    """What `buckets` are."""


class TrendsResponseTotals(TypedDict):
    calls: int
    """How many calls."""
    answered: int
    """Answered: the call was connected (it reached IN_PROGRESS) and did not turn out to be a voicemail (VOICEMAIL). The same in overview, usage and campaign analytics."""
    completed: int
    """Calls that were completed."""
    failed: int
    """Calls that failed."""
    duration_ms: float
    """How long it took, in milliseconds."""
    cost_usd: float
    """USD, with at most 6 decimals."""
    live: int
    """Of these calls, how many are not over yet."""


class TurnMetrics(TypedDict):
    turn: int
    """The turn, by its index."""
    end_of_turn_delay_ms: float | None
    """From the last word to the decision that the turn is over, in milliseconds."""
    stt_final_ms: float | None
    """Until the final transcript, in milliseconds."""
    llm_first_token_ms: float | None
    """Until the model's first token, in milliseconds."""
    tts_first_audio_ms: float | None
    """Until the voice's first audio, in milliseconds."""
    response_latency_ms: float | None
    """From the last word to the first audio of the answer, in milliseconds."""
    barge_in_latency_ms: float | None
    """From the interruption to silence, in milliseconds."""
    preempted: bool
    """Whether the answer was prepared before the turn was over."""
    audible_at_ms: NotRequired[float | None]
    """When its first audio was sent, in milliseconds since the call was answered."""
    silenced_at_ms: NotRequired[float | None]
    """When it fell silent for the caller, in milliseconds since the call was answered."""
    waveform_response_latency_ms: float | None
    """The same, measured in the recording after the call: from the caller's last sound to the agent's first."""
    waveform_barge_in_latency_ms: float | None
    """The same, measured in the recording after the call: from the caller's first sound to the agent's last."""


class TurnTakingSettings(TypedDict):
    turn_detection: TurnTakingSettingsTurnDetection
    """Who decides that the caller's turn is over when the agent is realtime: `service`, by the settings beside, or `provider`, by its own turn detection. Cascaded agents: always the service."""
    semantic_end_of_turn: TurnTakingSettingsSemanticEndOfTurn
    """`on`: a model on the worker listens to how the speech ends, and shortens or lengthens the pause that ends the turn, together with the words and the recogniser. Cascaded agents; it needs `npm run models` on the workers."""
    min_endpointing_ms: int
    """Silence after which a turn can be over, in milliseconds."""
    confident_endpointing_ms: int
    """The same when the recogniser is confident that it is, in milliseconds."""
    max_endpointing_ms: int
    """Silence after which a turn is over in any case, in milliseconds."""
    end_of_turn_confidence: float
    """From which confidence of the recogniser on its end of turn counts, 0 to 1."""
    preemptive_generation: TurnTakingSettingsPreemptiveGeneration
    """What of an answer is made before the caller's turn is surely over: nothing (`off`), its text (`llm`), or its first audio as well (`llm_and_voice`). Nothing of it is heard before the turn is over."""
    eager_stable_interim_ms: int
    """How long an interim transcript must stand for that at least, in milliseconds."""
    barge_in_pause_ms: int
    """Speech after which the agent pauses, in milliseconds."""
    barge_in_min_speech_ms: int
    """Speech that interrupts the agent, in milliseconds."""
    barge_in_min_words: int
    """Words that interrupt the agent."""
    false_interruption_ms: int
    """Silence after which a paused agent goes on, in milliseconds."""
    filler_delay_ms: int
    """After which time a filler bridges a slow answer, in milliseconds."""
    fillers: list[str]
    """Said when a tool or the model is slow; an empty list switches fillers off."""
    silence_prompts: list[str]
    """Asked one after the other when nobody speaks."""
    apology: str
    """Said when the model or the voice failed and the agent asks again; empty: a sentence in its language."""
    silence_goodbye: str
    """Said before the agent hangs up on silence."""
    vad_on: float
    """Probability of speech from which on it is speech, 0 to 1."""
    vad_off: float
    """Probability of speech below which it is none any more, 0 to 1."""
    vad_min_speech_ms: int
    """Shortest speech that counts, in milliseconds."""
    vad_min_silence_ms: int
    """Shortest silence that counts, in milliseconds."""


class TurnTakingSettingsInput(TypedDict):
    turn_detection: NotRequired[TurnTakingSettingsTurnDetection]
    """Who decides that the caller's turn is over when the agent is realtime: `service`, by the settings beside, or `provider`, by its own turn detection. Cascaded agents: always the service."""
    semantic_end_of_turn: NotRequired[TurnTakingSettingsSemanticEndOfTurn]
    """`on`: a model on the worker listens to how the speech ends, and shortens or lengthens the pause that ends the turn, together with the words and the recogniser. Cascaded agents; it needs `npm run models` on the workers."""
    min_endpointing_ms: NotRequired[int]
    """Silence after which a turn can be over, in milliseconds."""
    confident_endpointing_ms: NotRequired[int]
    """The same when the recogniser is confident that it is, in milliseconds."""
    max_endpointing_ms: NotRequired[int]
    """Silence after which a turn is over in any case, in milliseconds."""
    end_of_turn_confidence: NotRequired[float]
    """From which confidence of the recogniser on its end of turn counts, 0 to 1."""
    preemptive_generation: NotRequired[TurnTakingSettingsPreemptiveGeneration]
    """What of an answer is made before the caller's turn is surely over: nothing (`off`), its text (`llm`), or its first audio as well (`llm_and_voice`). Nothing of it is heard before the turn is over."""
    eager_stable_interim_ms: NotRequired[int]
    """How long an interim transcript must stand for that at least, in milliseconds."""
    barge_in_pause_ms: NotRequired[int]
    """Speech after which the agent pauses, in milliseconds."""
    barge_in_min_speech_ms: NotRequired[int]
    """Speech that interrupts the agent, in milliseconds."""
    barge_in_min_words: NotRequired[int]
    """Words that interrupt the agent."""
    false_interruption_ms: NotRequired[int]
    """Silence after which a paused agent goes on, in milliseconds."""
    filler_delay_ms: NotRequired[int]
    """After which time a filler bridges a slow answer, in milliseconds."""
    fillers: NotRequired[list[str]]
    """Said when a tool or the model is slow; an empty list switches fillers off."""
    silence_prompts: NotRequired[list[str]]
    """Asked one after the other when nobody speaks."""
    apology: NotRequired[str]
    """Said when the model or the voice failed and the agent asks again; empty: a sentence in its language."""
    silence_goodbye: NotRequired[str]
    """Said before the agent hangs up on silence."""
    vad_on: NotRequired[float]
    """Probability of speech from which on it is speech, 0 to 1."""
    vad_off: NotRequired[float]
    """Probability of speech below which it is none any more, 0 to 1."""
    vad_min_speech_ms: NotRequired[int]
    """Shortest speech that counts, in milliseconds."""
    vad_min_silence_ms: NotRequired[int]
    """Shortest silence that counts, in milliseconds."""


class UpdateConfigRequest(TypedDict):
    config: dict[str, Any]
    """Keys to set; the others stay. Up to 16 KiB in all."""


class UpdateNudgePresetsRequest(TypedDict):
    presets: list[NudgePresetInput]
    """The whole list; entries without an id get one."""


class UsageCost(TypedDict):
    stt: float
    """USD, with at most 6 decimals."""
    llm: float
    """USD, with at most 6 decimals."""
    tts: float
    """USD, with at most 6 decimals."""
    carrier: float
    """USD, with at most 6 decimals."""
    service: float
    """USD, with at most 6 decimals."""
    total: float
    """USD, with at most 6 decimals."""


class UsageCreditExhaustedEvent(TypedDict):
    event_id: str
    """The event. The same on every attempt and replay: drop what you have seen."""
    event_type: Literal["usage.credit_exhausted"]
    """The event type."""
    tenant_id: str
    """The tenant."""
    sandbox: bool
    """Whether it belongs to the sandbox rather than to production."""
    occurred_at: int
    """Unix seconds."""
    data: UsageCreditExhaustedEventData
    """What belongs to the event type."""


class UsageCreditExhaustedEventData(TypedDict):
    tenant_id: str
    """The tenant."""
    last_call_id: str | None
    """The last call."""
    in_advance: bool
    """Whether this is the announcement a day before."""


class UsageDailyCapApproachingEvent(TypedDict):
    event_id: str
    """The event. The same on every attempt and replay: drop what you have seen."""
    event_type: Literal["usage.daily_cap_approaching"]
    """The event type."""
    tenant_id: str
    """The tenant."""
    sandbox: bool
    """Whether it belongs to the sandbox rather than to production."""
    occurred_at: int
    """Unix seconds."""
    data: UsageDailyCapApproachingEventData
    """What belongs to the event type."""


class UsageDailyCapApproachingEventData(TypedDict):
    spent_usd: float
    """Spent today, in USD."""
    limit_usd: float
    """The limit, in USD; null for none."""


class UsageSegmentLlm(TypedDict):
    kind: Literal["llm"]
    """Which kind it is."""
    provider: str
    """The provider, as `GET /api/v1/providers` names it."""
    model: str
    """The provider's model; empty for its usual one."""
    fallback: bool
    """Whether a fallback provider was used."""
    agent_id: NotRequired[str]
    """The agent."""
    input_tokens: int
    """Tokens read."""
    output_tokens: int
    """Tokens written."""
    estimated_input_tokens: NotRequired[int]
    """Of the tokens read, those estimated: the answer was broken off before they were counted."""
    estimated_output_tokens: NotRequired[int]
    """Of the tokens written, those estimated: the answer was broken off before they were counted."""


class UsageSegmentRealtime(TypedDict):
    kind: Literal["realtime"]
    """Which kind it is."""
    provider: str
    """The provider, as `GET /api/v1/providers` names it."""
    model: str
    """The provider's model; empty for its usual one."""
    fallback: bool
    """Whether a fallback provider was used."""
    agent_id: NotRequired[str]
    """The agent."""
    audio_ms: float
    """Audio, in milliseconds."""
    input_audio_tokens: int
    """Tokens of audio heard."""
    input_text_tokens: int
    """Tokens of text read."""
    cached_audio_tokens: int
    """Tokens of audio among those heard that came from a cache."""
    cached_text_tokens: int
    """Tokens of text among those read that came from a cache."""
    output_audio_tokens: int
    """Tokens of audio spoken."""
    output_text_tokens: int
    """Tokens of text written."""


class UsageSegmentStt(TypedDict):
    kind: Literal["stt"]
    """Which kind it is."""
    provider: str
    """The provider, as `GET /api/v1/providers` names it."""
    model: str
    """The provider's model; empty for its usual one."""
    fallback: bool
    """Whether a fallback provider was used."""
    agent_id: NotRequired[str]
    """The agent."""
    audio_ms: float
    """Audio, in milliseconds."""


class UsageSegmentTts(TypedDict):
    kind: Literal["tts"]
    """Which kind it is."""
    provider: str
    """The provider, as `GET /api/v1/providers` names it."""
    model: str
    """The provider's model; empty for its usual one."""
    fallback: bool
    """Whether a fallback provider was used."""
    agent_id: NotRequired[str]
    """The agent."""
    characters: int
    """Characters spoken."""


class UsageSummary(TypedDict):
    sandbox: bool
    """Whether this is the usage of sandbox keys, which costs nothing."""
    currency: Literal["usd"]
    """The currency of all sums, in ISO 4217."""
    period: UsageSummaryPeriod
    """The current calendar month, in UTC."""
    totals: UsageSummaryTotals
    """Of the current calendar month."""
    days: int
    """How many days `daily` has, today the last of them."""
    daily: list[UsageSummaryDailyItem]
    """Oldest first; days without calls too."""
    credit_usd: float | None
    """Free and prepaid credit that is left; null where there never was any."""
    daily_cap: UsageSummaryDailyCap
    """Of today, in UTC."""
    payment_method: bool
    """Whether usage beyond the credit can be billed."""


class UsageSummaryDailyCap(TypedDict):
    limit_usd: float | None
    """The limit, in USD; null for none."""
    spent_usd: float
    """USD, with at most 6 decimals."""


class UsageSummaryDailyItem(TypedDict):
    date: str
    """A day in UTC."""
    calls: int
    """Test sessions are not counted; what they use and cost is part of the rest."""
    answered_calls: int
    """Answered: the call was connected (it reached IN_PROGRESS) and did not turn out to be a voicemail (VOICEMAIL). The same in overview, usage and campaign analytics."""
    minutes: float
    """Of connected calls, voicemails too, and of test sessions with a voice, to the millisecond."""
    cost: UsageCost
    """What it cost, in USD."""


class UsageSummaryPeriod(TypedDict):
    start: str
    """A day in UTC."""
    end: str
    """Inclusive."""


class UsageSummaryTotals(TypedDict):
    calls: int
    """Test sessions are not counted; what they use and cost is part of the rest."""
    answered_calls: int
    """Answered: the call was connected (it reached IN_PROGRESS) and did not turn out to be a voicemail (VOICEMAIL). The same in overview, usage and campaign analytics."""
    minutes: float
    """Of connected calls, voicemails too, and of test sessions with a voice, to the millisecond."""
    cost: UsageCost
    """What it cost, in USD."""
    stt_minutes: float
    """Minutes of speech recognised."""
    llm_input_tokens: int
    """Tokens that the language models read."""
    llm_output_tokens: int
    """Tokens that the language models wrote."""
    tts_characters: int
    """Characters spoken."""
    realtime: UsageSummaryTotalsRealtime
    """Of speech-to-speech models, by modality; cached tokens are part of the input's. `cost.llm` holds what they cost."""
    carrier_minutes: int
    """Started minutes, as carriers count."""


class UsageSummaryTotalsRealtime(TypedDict):
    minutes: float
    """Of callers' audio."""
    input_audio_tokens: int
    """Tokens of audio heard."""
    input_text_tokens: int
    """Tokens of text read."""
    cached_audio_tokens: int
    """Tokens of audio among those heard that came from a cache."""
    cached_text_tokens: int
    """Tokens of text among those read that came from a cache."""
    output_audio_tokens: int
    """Tokens of audio spoken."""
    output_text_tokens: int
    """Tokens of text written."""


class UsageWasteLlm(TypedDict):
    kind: Literal["llm"]
    """Which kind it is."""
    provider: str
    """The provider, as `GET /api/v1/providers` names it."""
    model: str
    """The provider's model; empty for its usual one."""
    fallback: bool
    """Whether a fallback provider was used."""
    agent_id: NotRequired[str]
    """The agent."""
    reason: UsageWasteLlmReason
    """Why, in words."""
    input_tokens: int
    """Tokens read."""
    output_tokens: int
    """Tokens written."""


class UsageWasteTts(TypedDict):
    kind: Literal["tts"]
    """Which kind it is."""
    provider: str
    """The provider, as `GET /api/v1/providers` names it."""
    model: str
    """The provider's model; empty for its usual one."""
    fallback: bool
    """Whether a fallback provider was used."""
    agent_id: NotRequired[str]
    """The agent."""
    reason: UsageWasteTtsReason
    """Why, in words."""
    characters: int
    """Characters spoken."""


class VendorKey(TypedDict):
    provider: str
    """The provider, as `GET /api/v1/providers` names it."""
    kinds: list[str]
    """What the vendor does for agents: `stt`, `llm`, `tts`, `realtime`."""
    set: bool
    """Whether the tenant has a key of its own."""
    last_four: str | None
    """The key's last four characters; null without one, and in the sandbox."""
    checked_at: str | None
    """When the vendor last took the key."""
    changed_at: str | None
    """When the key was set or replaced."""
    changed_by: ChangedBy | None
    """Who set or replaced it."""
    account: Literal["tenant", "installation"] | None
    """Whose account agents without a key of their own are on; null where there is none."""


class VendorKeyChange(TypedDict):
    provider: str
    """The provider, as `GET /api/v1/providers` names it."""
    action: VendorKeyChangeAction
    """The integration's action."""
    at: str
    """When."""
    by: ChangedBy
    """Who did it."""


class VendorKeyCheck(TypedDict):
    provider: str
    """The provider, as `GET /api/v1/providers` names it."""
    health: Literal["healthy", "refused", "unreachable", "unknown"]
    """`unknown`: the address that is set up for the vendor cannot say."""
    detail: str
    """What was found, in words."""
    checked_at: str
    """When it was checked."""


class VendorKeyListResponse(TypedDict):
    vendor_keys: list[VendorKey]
    """One for each vendor, whether there is a key or not."""
    changes: list[VendorKeyChange]
    """The last 50 changes, newest first; none in the sandbox."""
    has_more: Literal[False]
    """Whether there are entries after this page."""
    next_cursor: str | None
    """Always null: the list comes whole."""


class VendorKeySetRequest(TypedDict):
    api_key: str
    """The key, as the vendor shows it. It is never shown again."""
    verify: NotRequired[bool]
    """Whether the vendor is asked first. False saves a key while the vendor is away."""


class Voice(TypedDict):
    provider: str
    """The provider, as agents name it."""
    id: str
    """The voice, as its vendor names it."""
    name: str
    """What it is called."""
    description: str
    """What it is, in words."""
    languages: list[str]
    """What it speaks; empty: whatever its model does."""
    gender: str | None
    """As the vendor says; null where it does not."""
    accent: str | None
    """As the vendor says; null where it does not."""
    voice_config: VoiceChoice
    """What `voice_config.tts` of an agent is with this voice."""
    preview_url: str | None
    """Where it is heard, below this service and with the same credential; null where the vendor has no recording."""


class VoiceChoice(TypedDict):
    provider: str
    """The provider."""
    model: str
    """The model; empty for the default."""
    params: dict[str, Any]
    """What names the voice."""


class VoiceConfig(TypedDict):
    stt: NotRequired[ProviderChoice]
    """The speech recogniser."""
    llm: NotRequired[ProviderChoice]
    """The language model."""
    tts: NotRequired[ProviderChoice]
    """The voice."""
    realtime: NotRequired[ProviderChoice]
    """The speech-to-speech model."""


class VoiceConfigInput(TypedDict):
    stt: NotRequired[ProviderChoiceInput]
    """The speech recogniser."""
    llm: NotRequired[ProviderChoiceInput]
    """The language model."""
    tts: NotRequired[ProviderChoiceInput]
    """The voice."""
    realtime: NotRequired[ProviderChoiceInput]
    """The speech-to-speech model."""


class VoiceListResponse(TypedDict):
    voices: list[Voice]
    """By provider, in the order of their catalogues."""
    sources: list[VoiceSource]
    """The providers that were asked."""
    has_more: bool
    """Whether there are entries after this page."""
    next_cursor: str | None
    """Pass it as `cursor` to get the next page; null on the last one."""


class VoicemailSettings(TypedDict):
    detect: bool
    """Whether voicemail is detected: by the carrier, and by words, beep and length of the greeting."""
    action: VoicemailSettingsAction
    """What the agent does when voicemail answers."""
    message: str
    """Left on the voicemail; empty for nothing."""


class VoicemailSettingsInput(TypedDict):
    detect: NotRequired[bool]
    """Whether voicemail is detected: by the carrier, and by words, beep and length of the greeting."""
    action: NotRequired[VoicemailSettingsAction]
    """What the agent does when voicemail answers."""
    message: NotRequired[str]
    """Left on the voicemail; empty for nothing."""


class VoiceSource(TypedDict):
    provider: str
    """The provider."""
    state: VoiceSourceState
    """`stale`: kept from before, because the vendor is away. `unavailable`: it is away, and nothing is kept."""
    fetched_at: str | None
    """When the vendor was asked; null where it has no list that could be asked for."""
    detail: str | None
    """Why it is not fresh; null where it is."""


class VoiceTestRequest(TypedDict):
    variables: NotRequired[dict[str, str | float | bool]]
    """Rendered into prompt and first message as `{{name}}`, when the session begins."""


class WebhookConfigRequest(TypedDict):
    url: str
    """http or https, at a public address."""


class WebhookConfigResponse(TypedDict):
    webhook_id: str | None
    """For its deliveries and tests. Null when none is set."""
    url: str | None
    """The address."""
    sandbox: bool
    """There is one for each mode; the key chooses."""
    has_secret: bool
    """Whether deliveries to it are signed."""
    secret: str | None
    """Only in the answer to the request that generated it."""
    updated_at: str | None
    """When it was last changed."""


class WebhookCreate(TypedDict):
    url: str
    """http or https, at a public address."""
    event_types: NotRequired[list[Literal["*", "call.started", "call.completed", "call.failed", "call.hangup", "call.transferred", "transcript.ready", "recording.ready", "analysis.ready", "campaign.started", "campaign.completed", "campaign.contact.completed", "agent.activated", "agent.deactivated", "usage.credit_exhausted", "usage.daily_cap_approaching"]]]
    """Event types, or the single entry `*` for all."""
    sandbox: NotRequired[bool]
    """Whether to receive sandbox or production events, never both. Default: the mode of the key."""
    description: NotRequired[str]
    """For yourself."""


class WebhookCreateResponse(TypedDict):
    id: str
    """Its id."""
    url: str
    """The address."""
    event_types: list[str]
    """Which events it receives; `*` for all."""
    sandbox: bool
    """Whether it belongs to the sandbox rather than to production."""
    is_active: bool
    """Whether events are sent to it."""
    description: str
    """What it is, in words."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it was last changed."""
    secret: str
    """Key of the HMAC-SHA256 signature: the whole text as it is. Shown this once."""


class WebhookResponse(TypedDict):
    id: str
    """Its id."""
    url: str
    """The address."""
    event_types: list[str]
    """Which events it receives; `*` for all."""
    sandbox: bool
    """Whether it belongs to the sandbox rather than to production."""
    is_active: bool
    """Whether events are sent to it."""
    description: str
    """What it is, in words."""
    created_at: str
    """When it was created."""
    updated_at: str
    """When it was last changed."""


class WebhookUpdate(TypedDict):
    url: NotRequired[str]
    """http or https, at a public address."""
    event_types: NotRequired[list[Literal["*", "call.started", "call.completed", "call.failed", "call.hangup", "call.transferred", "transcript.ready", "recording.ready", "analysis.ready", "campaign.started", "campaign.completed", "campaign.contact.completed", "agent.activated", "agent.deactivated", "usage.credit_exhausted", "usage.daily_cap_approaching"]]]
    """Event types, or the single entry `*` for all."""
    is_active: NotRequired[bool]
    """Switched off, it receives nothing, and deliveries that wait for it are skipped."""
    description: NotRequired[str]
    """For yourself."""


class WebRTCSessionCreate(TypedDict):
    session_id: str
    """The session."""
    webrtc_url: str
    """Where the offer is to be posted, with the same credential."""
    expires_at: str
    """Until then the place is kept for the first offer."""
    ice_servers: list[IceServer]
    """For the `iceServers` of your RTCPeerConnection: STUN and TURN servers of this installation."""


class WhisperRequest(TypedDict):
    text: str
    """A note that is added to the agent's context."""


class WsSessionCreate(TypedDict):
    session_id: str
    """The session."""
    stream_url: str
    """WebSocket; connect with `?t=<token>`."""
    token: str
    """Signed; good for one connection until `expires_at`."""
    expires_at: str
    """From when on it no longer works."""


AgentTool = AgentToolEndCall | AgentToolTransferCall | AgentToolSendDtmf | AgentToolIntegration | AgentToolTransferToAgent | AgentToolHttp | AgentToolMcp

AgentToolHttpMethod = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]

AgentToolHttpWhenCallerSpeaks = Literal["continue", "cancel"]

AgentToolInput = AgentToolEndCallInput | AgentToolTransferCallInput | AgentToolSendDtmfInput | AgentToolHttpInput | AgentToolIntegrationInput | AgentToolMcpInput | AgentToolTransferToAgentInput

AgentToolIntegrationWhenCallerSpeaks = Literal["continue", "cancel"]

AgentToolMcpWhenCallerSpeaks = Literal["continue", "cancel"]

AgentToolTransferCallTransferType = Literal["warm", "cold"]

CallDirection = Literal["inbound", "outbound"]

CallStatus = Literal["QUEUED", "RINGING", "IN_PROGRESS", "COMPLETED", "FAILED", "BUSY", "NO_ANSWER", "VOICEMAIL"]

EndReason = Literal["caller_hangup", "agent_hangup", "operator_hangup", "transferred", "silence_timeout", "max_duration", "voicemail", "busy", "no_answer", "rejected", "carrier_failed", "provider_failed", "worker_lost", "no_capacity"]

PipelineType = Literal["cascaded", "realtime"]

ToolExecutionStatus = Literal["succeeded", "failed", "timed_out", "cancelled"]

TranscriptTurnRole = Literal["caller", "agent", "operator", "tool"]

TurnTakingSettingsPreemptiveGeneration = Literal["off", "llm", "llm_and_voice"]

TurnTakingSettingsSemanticEndOfTurn = Literal["off", "on"]

TurnTakingSettingsTurnDetection = Literal["service", "provider"]

UnprocessableResponse = ErrorResponse | HTTPValidationError

UsageSegment = UsageSegmentStt | UsageSegmentLlm | UsageSegmentTts | UsageSegmentRealtime

UsageWaste = UsageWasteLlm | UsageWasteTts

UsageWasteLlmReason = Literal["dropped_guess", "lost_race", "cut_speech"]

UsageWasteTtsReason = Literal["dropped_guess", "lost_race", "cut_speech"]

VendorKeyChangeAction = Literal["set", "replaced", "deleted"]

VoicemailSettingsAction = Literal["hangup", "leave_message"]

VoiceSourceState = Literal["fresh", "stale", "unavailable"]

WebhookEvent = (
    AgentActivatedEvent
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
    | UsageDailyCapApproachingEvent
)
"""What a webhook delivers: `event_type` says which it is."""
