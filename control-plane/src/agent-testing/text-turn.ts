import { describedTools, parseArguments } from '@voice/shared/agent-tools/described-tools';
import { isSensitiveTool, WITHHELD } from '@voice/shared/agent-tools/sensitive-tools';
import { ToolArguments } from '@voice/shared/agent-tools/tool-arguments';
import type { Clock } from '@voice/shared/clock/clock';
import type { AgentSnapshot } from '@voice/shared/contracts/agent';
import type { ToolExecution, TranscriptTurn } from '@voice/shared/contracts/call-events';
import type { TenantId } from '@voice/shared/ids/ids';
import type { LlmMessage, LlmToolCall } from '@voice/shared/language-model/conversation';
import type { ConversationModel } from '../language-model/conversation.js';
import { modelOfAgent } from '../language-model/language-models.js';
import { runTool, type TextTools } from './text-tools.js';

/** How often the model may call tools before it must have answered. */
const TOOL_ROUNDS = 6;

/** What a turn emits while it goes on. */
export type TextTestEvent =
  | { readonly event: 'session'; readonly data: { session_id: string; agent_id: string } }
  | { readonly event: 'message'; readonly data: { role: 'agent'; text: string } }
  | { readonly event: 'delta'; readonly data: { text: string } }
  | { readonly event: 'tool_call'; readonly data: { id: string; name: string; arguments: unknown } }
  | {
      readonly event: 'tool_result';
      readonly data: { id: string; name: string; status: ToolExecution['status']; result: string };
    }
  | { readonly event: 'notice'; readonly data: { code: string; message: string } }
  | { readonly event: 'usage'; readonly data: { input_tokens: number; output_tokens: number } }
  | { readonly event: 'error'; readonly data: { code: string; detail: string } }
  | { readonly event: 'done'; readonly data: { session_id: string; turn: number; ended: boolean } };

export type EmitEvent = (event: TextTestEvent) => void;

/** What was said and done so far; a turn adds to it. */
export interface Conversation {
  readonly tenant: TenantId;
  readonly messages: LlmMessage[];
  readonly transcript: TranscriptTurn[];
  readonly toolExecutions: ToolExecution[];
}

export interface TurnParts {
  readonly conversation: Conversation;
  readonly agent: AgentSnapshot;
  /** When the session began, epoch ms. */
  readonly began: number;
  readonly model: ConversationModel;
  readonly tools: TextTools;
  readonly clock: Clock;
}

/** Lets the model speak and act until it waits for the caller; whether the conversation is over. */
export async function answerTurn(parts: TurnParts, emit: EmitEvent, signal: AbortSignal): Promise<boolean> {
  const { conversation, agent, began, model, tools, clock } = parts;
  const { messages, transcript } = conversation;
  const checks = new ToolArguments();
  for (let round = 0; round < TOOL_ROUNDS; round++) {
    const startedAt = clock.now() - began;
    let text = '';
    const toolCalls: LlmToolCall[] = [];
    const described = describedTools(agent, tools.mcp.tools);
    const request = { choice: modelOfAgent(conversation.tenant, agent), messages, tools: described };
    for await (const event of model.converse(request, signal)) {
      if (event.type === 'text') {
        text += event.delta;
        emit({ event: 'delta', data: { text: event.delta } });
      } else if (event.type === 'tool_call') {
        toolCalls.push(event.call);
      } else {
        const { inputTokens, outputTokens } = event;
        emit({ event: 'usage', data: { input_tokens: inputTokens, output_tokens: outputTokens } });
      }
    }
    messages.push({
      role: 'assistant',
      content: text,
      ...(toolCalls.length === 0 ? {} : { toolCalls }),
    });
    if (text !== '') {
      transcript.push(transcriptEntry(transcript.length, 'agent', text, startedAt, clock.now() - began));
      emit({ event: 'message', data: { role: 'agent', text } });
    }
    if (toolCalls.length === 0) return false;
    if (await runTools(toolCalls, parts, checks, emit, signal)) return true;
  }
  return false;
}

async function runTools(
  toolCalls: readonly LlmToolCall[],
  { conversation: { messages, toolExecutions }, agent, began, tools, clock }: TurnParts,
  checks: ToolArguments,
  emit: EmitEvent,
  signal: AbortSignal,
): Promise<boolean> {
  let ended = false;
  for (const call of toolCalls) {
    const startedAt = clock.now() - began;
    const args = parseArguments(call.arguments) ?? call.arguments;
    emit({ event: 'tool_call', data: { id: call.id, name: call.name, arguments: args } });
    const { status, result, ends } = await runTool(call, agent, tools, checks, signal);
    signal.throwIfAborted();
    emit({ event: 'tool_result', data: { id: call.id, name: call.name, status, result } });
    messages.push({ role: 'tool', toolCallId: call.id, content: result });
    const withheld = isSensitiveTool(agent.tools, call.name);
    toolExecutions.push({
      tool_call_id: call.id,
      name: call.name,
      arguments: withheld ? WITHHELD : args,
      result: withheld ? WITHHELD : result,
      status,
      started_at_ms: startedAt,
      ended_at_ms: clock.now() - began,
    });
    ended ||= ends;
  }
  return ended;
}

/** Times in ms since the session began. */
export function transcriptEntry(
  index: number,
  role: 'agent' | 'caller',
  text: string,
  startedAt: number,
  endedAt = startedAt,
): TranscriptTurn {
  return {
    index,
    role,
    text,
    heard_text: text,
    interrupted: false,
    started_at_ms: startedAt,
    ended_at_ms: endedAt,
    confidence: null,
  };
}
