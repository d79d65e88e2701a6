import { type AnswerEvent, AnswerStream } from '@voice/shared/anthropic/answer-stream';
import { eventData } from '@voice/shared/anthropic/server-sent-events';
import { apiError } from '../../platform/http/error-codes.js';
import type { ConversationEvent, ConversationRequest } from '../conversation.js';
import { languageModelFailure } from '../failures.js';
import type { ConnectedAnthropic } from './client.js';

/** Error types after which the same question may be answered (platform.claude.com/docs/en/api/errors). */
const MAY_PASS: readonly string[] = ['rate_limit_error', 'api_error', 'timeout_error', 'overloaded_error'];

/** Streams an answer of the Messages API; on abort it ends promptly with the signal's reason. */
export async function* converseByAnthropic(
  { send, params }: ConnectedAnthropic,
  { messages, tools }: Pick<ConversationRequest, 'messages' | 'tools'>,
  signal: AbortSignal,
): AsyncGenerator<ConversationEvent> {
  try {
    let isWhole = false;
    for await (const event of eventsOf(await send({ messages, tools, params }, signal))) {
      if (event.type === 'error') throw failed(event);
      if (event.type === 'end') isWhole = true;
      else if (event.type !== 'tool_call_part') yield event;
    }
    signal.throwIfAborted();
    if (!isWhole) throw new Error('the stream ended before the answer');
  } catch (error) {
    signal.throwIfAborted();
    throw languageModelFailure(error);
  }
}

async function* eventsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<AnswerEvent> {
  const answer = new AnswerStream();
  for await (const data of eventData(body)) yield* answer.read(data);
}

function failed({ errorType, message }: Extract<AnswerEvent, { type: 'error' }>) {
  return apiError('language_model_failed', `The language model refused or failed (${errorType}).`, {
    cause: new Error(message),
    retryable: MAY_PASS.includes(errorType),
  });
}
