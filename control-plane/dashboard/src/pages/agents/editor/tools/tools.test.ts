import { describe, expect, it } from 'vitest';
import { toolForm } from './tool-form.js';
import { exampleArguments, headerLines, NEW_TOOLS, nameLines, parseHeaders, parseObject } from './tools.js';

describe('the arguments of a tool', () => {
  const parse = (text: string) => parseObject(text, '{"type": "object"}');
  it('are a JSON object', () => {
    expect(parse('{"type": "object"}')).toEqual({ ok: true, value: { type: 'object' } });
  });

  it.each([
    ['{"type":', 'This is no JSON'],
    ['[]', 'Write an object, as {"type": "object"}.'],
    ['null', 'Write an object'],
  ])('say what is wrong with %s', (text, problem) => {
    expect(parse(text)).toMatchObject({ ok: false, problem: expect.stringContaining(problem) });
  });

  it('have examples of their schema', () => {
    const properties = {
      day: { type: 'string', examples: ['Friday'] },
      seats: { type: ['integer', 'null'] },
      size: { enum: ['s', 'm'] },
      vip: { type: 'boolean', default: false },
      who: { type: 'object', properties: { name: { type: 'string' } } },
      notes: {},
    };
    expect(exampleArguments({ type: 'object', properties })).toEqual({
      day: 'Friday',
      seats: 1,
      size: 's',
      vip: false,
      who: { name: 'text' },
      notes: 'text',
    });
    expect(exampleArguments(undefined)).toEqual({});
  });
});

describe('headers', () => {
  it('are lines of name and value, and written as they are read', () => {
    const headers = { 'X-Team': 'sales', Authorization: 'Bearer a:b' };
    expect(parseHeaders(' X-Team : sales\n\nAuthorization: Bearer a:b')).toEqual({
      ok: true,
      value: headers,
    });
    expect(parseHeaders(headerLines(headers))).toEqual({ ok: true, value: headers });
    expect(headerLines(undefined)).toBe('');
  });

  it.each(['sales', 'X Team: sales', 'X-Team: größer'])('say what is wrong with %s', (line) => {
    expect(parseHeaders(line)).toMatchObject({ ok: false, problem: expect.stringContaining(line) });
  });
});

it('reads names from lines, and none as no choice', () => {
  expect([nameLines(' a \n\nb'), nameLines(' \n')]).toEqual([['a', 'b'], undefined]);
});

describe('a tool in the form', () => {
  const problems = (tool: object) =>
    toolForm.safeParse(tool).error?.issues.map(({ path, message }) => [path.join('.'), message]) ?? [];

  it.each(['end_call', 'send_dtmf', 'transfer_call'] as const)('is right as it begins: %s', (type) => {
    expect(problems(NEW_TOOLS[type])).toEqual([]);
  });

  it('needs what its kind needs', () => {
    expect(problems({ ...NEW_TOOLS.http, name: 'look_up' })).toEqual([
      ['description', 'Say when to use it.'],
      ['url', 'Enter the address, as https://example.com/book.'],
    ]);
    expect(problems({ ...NEW_TOOLS.mcp, name: '_crm', server_url: 'ftp://crm.example' })).toEqual([
      ['name', 'Use letters, digits and _, a letter first, as book_table.'],
      ['server_url', 'Enter the address, as https://example.com/mcp.'],
    ]);
    expect(problems({ ...NEW_TOOLS.integration, name: 'note', description: 'Notes.' })).toEqual([
      ['integration', 'Choose an integration.'],
      ['action', 'Choose what it does.'],
    ]);
    expect(problems(NEW_TOOLS.transfer_to_agent)).toEqual([
      ['agents.0.agent_id', 'Choose an agent.'],
      ['agents.0.name', 'Name it, as the model is to choose it.'],
    ]);
  });

  it('hands over to agents of different names', () => {
    const agents = ['billing', 'support', 'billing'].map((name) => ({
      agent_id: 'a',
      name,
      description: '',
    }));
    expect(problems({ ...NEW_TOOLS.transfer_to_agent, agents })).toEqual([
      ['agents.2.name', 'Another one has this name.'],
    ]);
  });

  it('keeps what the form does not know of it', () => {
    const tool = { type: 'end_call', name: 'end_call', description: '', later: 1 };
    expect(toolForm.parse(tool)).toEqual(tool);
  });
});
