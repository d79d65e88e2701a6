import { describe, expect, it } from 'vitest';
import type { Agent } from '../../../api/types.js';
import { type AgentForm, agentForm, changesOf, conflictsOf, formOf, voicemailAction } from './form.js';
import { storedForm as STORED } from './form-fixture.js';

describe('the changes of an agent', () => {
  it('are the fields that differ, whole', () => {
    const turn_taking = { ...STORED.turn_taking, barge_in_min_words: 3 };
    expect(changesOf(STORED, { ...STORED, name: 'Bea', turn_taking })).toEqual({ name: 'Bea', turn_taking });
  });

  it('are none where nothing was edited', () =>
    expect(changesOf(STORED, structuredClone(STORED))).toEqual({}));

  it('are none where only the order of fields is another', () => {
    const { detect, action, message } = STORED.voicemail;
    expect(changesOf(STORED, { ...STORED, voicemail: { message, action, detect } })).toEqual({});
  });
});

describe('the conflicts of a save', () => {
  const theirs: AgentForm = { ...STORED, name: 'Bea', first_message: 'Good day.' };

  it('are the fields that both changed', () =>
    expect(conflictsOf(STORED, theirs, { ...STORED, name: 'Cleo', system_prompt: 'Be brief.' })).toEqual([
      'name',
    ]));

  it('are none where both changed them to the same', () =>
    expect(conflictsOf(STORED, theirs, { ...STORED, name: 'Bea' })).toEqual([]));

  it('are none where nobody else saved', () =>
    expect(conflictsOf(STORED, STORED, { ...STORED, name: 'Cleo' })).toEqual([]));
});

describe('the form of an agent', () => {
  const agentWith = (changes: Partial<AgentForm>) =>
    ({
      ...STORED,
      ...changes,
      id: 'a',
      version: 3,
      voicemail: { ...STORED.voicemail, later: 1 },
    }) as unknown as Agent;

  it('holds what is edited of it, and nothing else', () => {
    expect(formOf(agentWith({}))).toEqual(STORED);
  });

  it('takes what the service takes, also what the editor would ask more of', () => {
    const changes = {
      tools: [{ type: 'http', name: 'look_up', description: '', url: 'https://example.com' }],
      analysis: { enabled: true, scorecard: [{ name: 'Polite', description: '', weight: 1 }] },
      silence_timeout_seconds: 7.5,
    };
    expect(formOf(agentWith(changes))).toEqual({ ...STORED, ...changes });
  });

  it('asks for no more than the service does where nothing is gained by it', () => {
    const scorecard = [{ name: 'Polite', description: '', weight: 1 }];
    const edited = { ...STORED, analysis: { enabled: true, scorecard }, silence_timeout_seconds: 7.5 };
    expect(agentForm.parse(edited)).toEqual(edited);
  });

  it('keeps what it does not know of a tool', () => {
    const tool = { type: 'mcp', name: 'crm', description: 'The CRM.', server_url: 'https://crm.example/mcp' };
    expect(agentForm.parse({ ...STORED, tools: [tool] }).tools).toEqual([tool]);
  });

  it('refuses a day that ends before it begins', () => {
    const calling_hours = { ...STORED.calling_hours, monday: { start: '21:00', end: '08:00' } };
    expect(agentForm.safeParse({ ...STORED, calling_hours }).success).toBe(false);
  });

  it('reads the numbers of people to transfer to as they are written, and wants names that differ', () => {
    const parse = (...destinations: readonly (readonly [string, string])[]) =>
      agentForm.safeParse({
        ...STORED,
        transfer_destinations: destinations.map(([name, phone_number]) => ({ name, phone_number })),
      });
    expect(parse(['Reception', '+1 (212) 555-0199']).data?.transfer_destinations).toEqual(
      STORED.transfer_destinations,
    );
    expect(
      parse(['Desk', '+12125550199'], ['Bar', '212 555 0199'], ['', '+12125550199']).error?.issues,
    ).toMatchObject([
      { path: ['transfer_destinations', 1, 'phone_number'] },
      { path: ['transfer_destinations', 2, 'name'] },
    ]);
    expect(parse(['Desk', '+12125550199'], ['Desk', '+12125550198']).error?.issues).toMatchObject([
      { path: ['transfer_destinations', 1, 'name'], message: 'Another one has this name.' },
    ]);
  });

  it('says what is wrong with a field, and what to enter', () => {
    const wrong = { ...STORED, name: ' ', turn_taking: { ...STORED.turn_taking, min_endpointing_ms: 9000 } };
    const problems = agentForm
      .safeParse(wrong)
      .error?.issues.map(({ path, message }) => [path.join('.'), message]);
    expect(problems).toEqual([
      ['name', 'Give the agent a name.'],
      ['turn_taking.min_endpointing_ms', 'At most 5000.'],
    ]);
  });
});

it('leaves the message that was entered, and hangs up where there is none', () => {
  expect(['Please call us back.', '', ' \n'].map(voicemailAction)).toEqual([
    'leave_message',
    'hangup',
    'hangup',
  ]);
});
