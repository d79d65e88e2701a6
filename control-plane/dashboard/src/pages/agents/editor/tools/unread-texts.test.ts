import { describe, expect, it } from 'vitest';
import { toolForm } from './tool-form.js';
import { NEW_TOOLS, parseHeaders, parseObject } from './tools.js';
import { type UnreadTexts, withEntered } from './unread-texts.js';

const schema = (text: string, before?: UnreadTexts) =>
  withEntered(before, 'parameters', text, parseObject(text, '{}'));
const headers = (text: string, before?: UnreadTexts) =>
  withEntered(before, 'headers', text, parseHeaders(text));

describe('texts of a tool that cannot be read', () => {
  it('are kept until they can be', () => {
    const broken = headers('X-Team', schema('{"type":'));
    expect(broken).toEqual({
      parameters: { text: '{"type":', problem: expect.stringContaining('This is no JSON') },
      headers: { text: 'X-Team', problem: expect.stringContaining('is no header') },
    });
    const half = schema('{}', broken);
    expect(half).toEqual({ headers: broken?.headers });
    expect(headers('X-Team: sales', half)).toBeUndefined();
  });

  it('stop a save, each with its problem at its field', () => {
    const tool = { ...NEW_TOOLS.http, name: 'book', description: 'Books.', url: 'https://example.com' };
    const issues = toolForm.safeParse({ ...tool, unread: schema('[]') }).error?.issues;
    expect(issues).toMatchObject([{ path: ['parameters'], message: expect.stringContaining('an object') }]);
    expect(toolForm.safeParse({ ...tool, unread: undefined }).success).toBe(true);
  });
});
