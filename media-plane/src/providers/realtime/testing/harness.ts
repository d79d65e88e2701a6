import type { ProviderCredentials } from '@voice/shared/contracts/call-plan';
import type { LlmTool } from '@voice/shared/language-model/conversation';
import type { RealtimeOptions, RealtimeProvider } from '../port.js';

/** Something that a caller says, and what the scripted model answers to it. */
export interface RealtimePhrase {
  readonly text: string;
  /** 20 ms each, in the harness' format. */
  readonly frames: readonly Uint8Array[];
  /** Several words; spoken for at least a second. */
  readonly answer: string;
}

/** One entry of what the model remembers of the newest session, in order, as the provider holds it. */
export interface RealtimeMemory {
  readonly role: 'user' | 'assistant' | 'system' | 'tool_call' | 'tool_result';
  /** What was said or written; of a tool call its name, of a result its text. Empty where only audio is left. */
  readonly text: string;
  /** Of an assistant's speech: how much of its audio is remembered, in ms. */
  readonly audioMs?: number;
}

/** A provider with a scripted model, and the power to make things go wrong. */
export interface RealtimeHarness {
  readonly provider: RealtimeProvider;
  readonly options: Pick<
    RealtimeOptions,
    'choice' | 'credentials' | 'instructions' | 'language' | 'format' | 'tools'
  >;
  /** A key that the provider refuses. */
  readonly badCredentials: ProviderCredentials;
  /** A model that the provider does not have. */
  readonly badModel: string;
  /** At least two, answered without tools. */
  readonly phrases: readonly RealtimePhrase[];
  /** Said, it makes the model call one of `options.tools`; `answer` is said after the result. */
  readonly call: RealtimePhrase & { readonly name: string; readonly arguments: unknown };
  /** A tool that is not among `options.tools`, and what makes the model call it once it is. */
  readonly lateTool: { readonly tool: LlmTool; readonly frames: readonly Uint8Array[] };
  /** Handshakes that the provider has seen, the refused and the unanswered too. */
  attempts(): number;
  /** Connections that the provider holds now. */
  openConnections(): number;
  memory(): readonly RealtimeMemory[];
  readonly faults: {
    /** Tears the provider's connections. */
    disconnect(): void;
    /** Answers the next handshake only when the returned function is called. */
    holdNextHandshake(): () => void;
    /** Accepts the next connection and never says a word. */
    muteNext(): void;
    /** Sends something that no client understands over the open connections. */
    sendGarbage(): void;
    /** Stops the next response after some of its audio, neither ending nor failing it. */
    stallNextResponse(): void;
    /** Tears the connection after some of the next response's audio. */
    cutNextResponse(): void;
    /** Fails the next response where the provider has such a thing; the session goes on. */
    failNextResponse?(): void;
    /** Lets sessions that are opened from now on end in a minute, as the provider announces it. */
    expireSoon(): void;
    /** Ends the open sessions as the provider does when their time is up. */
    expireNow(): void;
  };
  close(): Promise<void>;
}

export interface RealtimeCapabilities {
  /** Whether the provider's own turn detection always answers by itself (`unasked`). */
  readonly answersUnasked: boolean;
  /** Whether what was said but not heard can be taken out of the model's memory. */
  readonly truncates: boolean;
  /** Whether audio that was no turn can be discarded before it is committed. */
  readonly discards: boolean;
  /** Whether the tools can change while a session goes on; else a new session is needed. */
  readonly changesTools: boolean;
}
