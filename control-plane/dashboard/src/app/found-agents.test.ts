import { describe, expect, it } from 'vitest';
import { foundAgents } from './found-agents.js';

const agents = Array.from({ length: 2000 }, (_, at) => ({ name: `Branch ${at}` }));

describe('foundAgents', () => {
  it('lists the first 20 of any number and counts the others', () => {
    const found = foundAgents(agents, '');
    expect(found.agents).toEqual(agents.slice(0, 20));
    expect(found.others).toBe(1980);
  });

  it('puts the best first, wherever it stands among all', () => {
    expect(foundAgents([...agents, { name: 'Ada' }], 'ada').agents[0]).toEqual({ name: 'Ada' });
    expect(foundAgents(agents, 'Branch 1999').agents[0]).toEqual({ name: 'Branch 1999' });
  });

  it('finds nothing by letters that no name has', () => {
    expect(foundAgents(agents, 'zzz')).toEqual({ agents: [], others: 0 });
  });
});
