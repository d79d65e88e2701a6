import { describe, expect, it } from 'vitest';
import { demoAgent, demoLines } from '../contracts/demo-agent.js';
import type { LlmMessage, LlmTool } from '../language-model/conversation.js';
import { type Answer, answer } from './answer.js';

const tool = (name: string, description = '', parameters: Record<string, unknown> = {}): LlmTool => ({
  name,
  description,
  parameters: { type: 'object', properties: {}, ...parameters },
});
const END_CALL = tool('end_call', 'Ends the call after the goodbye.');

/** Plays the caller's lines against the model as the pipeline would, and answers the agent's turns. */
function converse(lines: readonly string[], tools: readonly LlmTool[] = [END_CALL]) {
  const messages: LlmMessage[] = [
    { role: 'system', content: demoAgent.system_prompt },
    { role: 'assistant', content: demoAgent.first_message },
  ];
  return lines.map((line): Answer => {
    messages.push({ role: 'user', content: line });
    const reply = answer(messages, tools);
    messages.push({ role: 'assistant', content: reply.text });
    return reply;
  });
}
const saying = (line: string, tools?: readonly LlmTool[]) => converse([line], tools)[0]!;

describe('the demo conversation', () => {
  it('books an appointment with the person who talks', () => {
    const turns = converse(demoLines.talks);
    expect(turns.map((turn) => turn.text)).toEqual([
      'Great. Which day suits you best?',
      expect.stringMatching(/free parking.* Do you prefer the morning or the afternoon\?$/),
      expect.stringMatching(/May I have your full name, please\?$/),
      'Thank you, Sam. Is there anything else I can do for you?',
      'Thank you for your time. Goodbye.',
    ]);
    expect(turns.flatMap((turn) => turn.calls)).toEqual([{ name: 'end_call', arguments: {} }]);
    expect(turns.at(-1)!.calls).toHaveLength(1);
  });

  it('gives the person who interrupts an answer long enough to interrupt, then what they ask for', () => {
    const [long, cost, end] = converse(demoLines.talks_over);
    expect(long!.text.length).toBeGreaterThan(100);
    expect(cost!.text).toContain('eighty dollars');
    expect(end!.calls).toEqual([{ name: 'end_call', arguments: {} }]);
  });
});

describe('following the steps', () => {
  it('asks a step again that was cut off before it was said', () => {
    const messages: LlmMessage[] = [
      { role: 'system', content: demoAgent.system_prompt },
      { role: 'assistant', content: demoAgent.first_message },
      { role: 'user', content: 'Yes.' },
      { role: 'assistant', content: 'Great. Which day' },
      { role: 'user', content: 'Sorry, I meant to say that I am a new patient.' },
    ];
    expect(answer(messages, []).text).toMatch(/Which day suits you best\?$/);
  });

  it('says goodbye and ends the call when every step is done', () => {
    const turns = converse(['Yes.', 'Friday.', 'Afternoon.', 'Sam Taylor.', 'No.']);
    expect(turns.at(-1)).toEqual({
      text: 'I see. That is everything I need. Goodbye.',
      calls: [{ name: 'end_call', arguments: {} }],
    });
  });

  it('only says goodbye where it has no tool to end the call', () => {
    expect(saying('Goodbye.', [])).toEqual({ text: 'Thank you for your time. Goodbye.', calls: [] });
  });

  it('greets and begins when nobody has said anything', () => {
    const messages: LlmMessage[] = [{ role: 'system', content: demoAgent.system_prompt }];
    expect(answer(messages, []).text).toBe('Hello! Would you like to book an appointment?');
  });

  it('takes pressed keys as an answer', () => {
    const messages: LlmMessage[] = [
      { role: 'system', content: demoAgent.system_prompt },
      { role: 'assistant', content: demoAgent.first_message },
      { role: 'system', content: 'The caller pressed these keys: 1#' },
    ];
    expect(answer(messages, []).text).toBe('Thank you. Which day suits you best?');
  });

  it.each([
    ['a noise', 'Uh, hmm.', /^I am sorry, I did not understand\. Would you like to book/],
    ['a plea to repeat', 'Can you say that again?', /^Of course\. Would you like to book/],
    ['a greeting', 'Hello?', /^Hello! Would you like to book/],
  ])('asks again after %s', (_, line, reply) => {
    expect(saying(line).text).toMatch(reply);
  });

  it('works without any prompt', () => {
    expect(answer([{ role: 'user', content: 'I need a taxi.' }], []).text).toMatch(/anything else/);
    expect(answer([], []).text).toBe('Hello! How can I help you?');
  });
});

describe('answering questions', () => {
  it.each([
    ['How much is it?', /eighty dollars/],
    ['Where are you located?', /12 Main Street/],
    ['when do you open', /eight in the morning/],
    ['Can I cancel?', /one day before/],
    ['Are you a robot?', /automated assistant/],
    ['Do you sell bicycles?', /I do not know that/],
  ])('%s', (question, fact) => {
    expect(saying(question).text).toMatch(fact);
    expect(saying(question).text).toMatch(/Would you like to book an appointment\?$/);
  });
});

describe('calling tools', () => {
  const transfer = tool('transfer_call', 'Hands the call to a colleague.', {
    properties: { destination: { type: 'string', enum: ['Reception', 'Billing'] } },
    required: ['destination'],
  });

  it('hands over to a human when asked and able to', () => {
    expect(saying('I want to speak to a real person in billing.', [END_CALL, transfer])).toEqual({
      text: expect.stringMatching(/connect you/),
      calls: [{ name: 'transfer_call', arguments: { destination: 'Billing' } }],
    });
    expect(saying('Can I talk to somebody?', [transfer]).calls).toEqual([
      { name: 'transfer_call', arguments: { destination: 'Reception' } },
    ]);
    expect(saying('Can I talk to somebody?').calls).toEqual([]);
  });

  const weather = tool('get_weather', 'Tells the weather forecast for a day.', {
    properties: {
      day: { type: 'string', description: 'the day you are interested in' },
      units: { type: 'string', enum: ['celsius', 'fahrenheit'] },
    },
    required: ['day'],
  });

  it('calls a tool whose purpose the caller mentions, with the arguments taken from the words', () => {
    expect(saying('What is the weather forecast for next Friday in celsius?', [weather]).calls).toEqual([
      { name: 'get_weather', arguments: { day: 'next Friday', units: 'celsius' } },
    ]);
  });

  it('asks for what is missing, then calls it', () => {
    const messages: LlmMessage[] = [{ role: 'user', content: 'Tell me the weather forecast.' }];
    const question = answer(messages, [weather]);
    expect(question).toEqual({ text: 'Could you tell me the day you are interested in?', calls: [] });
    messages.push({ role: 'assistant', content: question.text }, { role: 'user', content: 'Tomorrow.' });
    expect(answer(messages, [weather]).calls).toEqual([
      { name: 'get_weather', arguments: { day: 'Tomorrow' } },
    ]);
  });

  const afterTool = (content: string) => {
    const messages: LlmMessage[] = [
      { role: 'user', content: 'What is the weather forecast for Friday?' },
      {
        role: 'assistant',
        content: 'One moment, please.',
        toolCalls: [{ id: 'c1', name: 'get_weather', arguments: '{}' }],
      },
      { role: 'tool', toolCallId: 'c1', content },
    ];
    return answer(messages, [weather]);
  };
  it.each([
    ['{"message":"It will be sunny."}', 'It will be sunny.'],
    ['{"sky":"clear","high":21}', 'sky: clear, high: 21.'],
    ['{"error":"unreachable"}', 'I am sorry, that did not work.'],
    ['Rain.', 'Rain.'],
  ])('says the result %s, and does not call it again', (content, said) => {
    expect(afterTool(content)).toEqual({
      text: `${said} Is there anything else I can do for you?`,
      calls: [],
    });
  });

  it('says what an operator whispers', () => {
    const messages: LlmMessage[] = [
      { role: 'system', content: demoAgent.system_prompt },
      { role: 'assistant', content: demoAgent.first_message },
      { role: 'user', content: 'Yes, please.' },
      { role: 'system', content: 'Operator note: tell them that there is a discount today' },
    ];
    expect(answer(messages, []).text).toBe('There is a discount today. Great. Which day suits you best?');
  });
});
