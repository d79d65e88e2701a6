import { describe, expect, it } from 'vitest';
import type { Call } from '../../api/types.js';
import { lastCalls, mayLack, SHOWN } from './last-calls.js';

const calls = (agent_id: string, count: number) =>
  Array.from({ length: count }, (_, at) => ({ id: `${agent_id} ${at}`, agent_id }) as Call);

describe('the last calls of agents', () => {
  it('are at most so many each, the latest last', () => {
    const byAgent = lastCalls([...calls('a', 20), ...calls('b', 1)]);
    expect(byAgent.get('a')?.map(({ id }) => id)).toEqual(
      Array.from({ length: SHOWN }, (_, at) => `a ${SHOWN - 1 - at}`),
    );
    expect(byAgent.get('b')).toHaveLength(1);
  });

  it('may be older than the latest of all agents, where those are as many as are asked for', () => {
    expect(mayLack([], 500, 500)).toBe(true);
    expect(mayLack([], 499, 500)).toBe(false);
    expect(mayLack(calls('a', SHOWN), 500, 500)).toBe(false);
  });
});
