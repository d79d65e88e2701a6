import { describe, expect, it } from 'vitest';
import { ToolCallAssembly } from './tool-call-assembly.js';

describe('tool calls in fragments', () => {
  it('are put together by their index, in the order of the model', () => {
    const assembly = new ToolCallAssembly();
    assembly.add({ index: 1, id: 'b', function: { name: 'second', arguments: '' } });
    assembly.add({ index: 0, id: 'a', function: { name: 'first', arguments: '{"x"' } });
    assembly.add({ index: 0, function: { arguments: ':1}' } });
    assembly.add({ index: 1, function: { arguments: '{}' } });
    expect(assembly.take()).toEqual([
      { id: 'a', name: 'first', arguments: '{"x":1}' },
      { id: 'b', name: 'second', arguments: '{}' },
    ]);
    expect(assembly.take()).toEqual([]);
  });

  it('get what a compatible server left out: an id, and the arguments of a tool without any', () => {
    const assembly = new ToolCallAssembly();
    assembly.add({ index: 0, function: { name: 'end_call' } });
    const [call] = assembly.take();
    expect(call).toMatchObject({
      name: 'end_call',
      arguments: '{}',
      id: expect.stringMatching(/^call_\w+$/),
    });
  });

  it('get ids of their own where a compatible server gives all of an answer the same', () => {
    const assembly = new ToolCallAssembly();
    for (const index of [0, 1])
      assembly.add({ index, id: 'call_0', function: { name: 'book', arguments: '{}' } });
    const ids = assembly.take().map(({ id }) => id);
    expect(ids).toEqual(['call_0', expect.stringMatching(/^call_\w{10,}$/)]);
  });

  it('keep the name that some servers repeat in every fragment', () => {
    const assembly = new ToolCallAssembly();
    for (const part of ['{', '}'])
      assembly.add({ index: 0, id: 'a', function: { name: 'book', arguments: part } });
    expect(assembly.take()).toEqual([{ id: 'a', name: 'book', arguments: '{}' }]);
  });

  it('stay apart where a compatible server gives all of an answer the same index', () => {
    const assembly = new ToolCallAssembly();
    assembly.add({ index: 0, id: 'a', function: { name: 'book', arguments: '{"a":1}' } });
    assembly.add({ index: 0, id: 'b', function: { name: 'cancel', arguments: '{"b"' } });
    assembly.add({ index: 0, function: { arguments: ':2}' } });
    expect(assembly.take()).toEqual([
      { id: 'a', name: 'book', arguments: '{"a":1}' },
      { id: 'b', name: 'cancel', arguments: '{"b":2}' },
    ]);
  });

  it('leave the last one without arguments that could be read where the answer was cut off before them', () => {
    const assembly = new ToolCallAssembly();
    for (const index of [0, 1]) assembly.add({ index, id: `${index}`, function: { name: 'end_call' } });
    expect(assembly.take({ isCutOff: true }).map((call) => call.arguments)).toEqual(['{}', '{']);
  });
});
