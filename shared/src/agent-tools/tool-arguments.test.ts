import { describe, expect, it } from 'vitest';
import { ToolArguments } from './tool-arguments.js';

const book = {
  name: 'book',
  parameters: {
    type: 'object',
    properties: {
      day: { type: 'string', format: 'date' },
      seats: { type: 'integer', minimum: 1 },
    },
    required: ['day', 'seats'],
  },
};

describe("a tool's arguments", () => {
  it('pass when they fit the schema', () => {
    expect(new ToolArguments().refusal(book, { day: '2026-05-03', seats: 2 })).toBeUndefined();
  });

  it('that do not fit are refused with what is wrong with each', () => {
    const refusal = new ToolArguments().refusal(book, { day: 'Tuesday', seats: 0 });
    expect(refusal).toMatch(
      /^The arguments do not fit: day .+; seats .+\. The tool was not run\. Call it again/,
    );
    expect(new ToolArguments().refusal(book, { seats: 2 })).toContain('day');
  });

  it('are asked for anew once only; a call that fits begins again', () => {
    const args = new ToolArguments();
    expect(args.refusal(book, {})).toContain('Call it again');
    expect(args.refusal(book, {})).toContain('Do not call book again now');
    expect(args.refusal({ ...book, name: 'other' }, {})).toContain('Call it again');
    expect(args.refusal(book, { day: '2026-05-03', seats: 2 })).toBeUndefined();
    expect(args.refusal(book, {})).toContain('Call it again');
  });

  it('are left to the server whose schema uses what is not known here', () => {
    const tool = { name: 'theirs', parameters: { type: 'object', if: {}, required: ['x'] } };
    expect(new ToolArguments().refusal(tool, {})).toBeUndefined();
  });
});
