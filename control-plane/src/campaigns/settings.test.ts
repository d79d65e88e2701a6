import { newId } from '@voice/shared/ids/ids';
import { describe, expect, it } from 'vitest';
import { campaignCreate, campaignResponse } from './schemas.js';
import {
  campaignSettings,
  SETTING_COLUMNS,
  type StoredCampaignSettings,
  shownCampaignSettings,
  toShownSettings,
  toStoredChanges,
  toStoredSettings,
} from './settings.js';

const requested = {
  name: 'Spring',
  agent_id: newId(),
  caller_id: newId(),
  outcome_labels: ['meeting', 'call back'],
  success_criteria: 'A meeting is booked.',
  extraction_schema: { type: 'object', properties: { day: { type: 'string' } } },
  max_concurrent: 3,
  calls_per_minute: 7,
  scheduled_start: '2030-01-15T16:00:00.000Z',
  retry_policy: {
    max_attempts: 2,
    busy_delay_seconds: 1,
    no_answer_delay_seconds: 2,
    failed_delay_seconds: 3,
  },
};

describe('settings of a campaign', () => {
  it('are shown as they were requested, after they were stored', () => {
    const shown = toShownSettings(toStoredSettings(campaignSettings.parse(requested)));
    expect(shown).toEqual(requested);
    expect(shownCampaignSettings.parse(shown)).toEqual(requested);
  });

  it('are stored in columns that cannot be read as operators, with dates as dates', () => {
    expect(toStoredSettings(campaignSettings.parse(requested))).toMatchObject({
      extraction_schema: JSON.stringify(requested.extraction_schema),
      scheduled_start: new Date(requested.scheduled_start),
    });
  });

  it('have their defaults where nothing is given', () => {
    const { name, agent_id } = requested;
    expect(toShownSettings(toStoredSettings(campaignSettings.parse({ name, agent_id })))).toEqual({
      name,
      agent_id,
      caller_id: null,
      outcome_labels: [],
      success_criteria: null,
      extraction_schema: null,
      max_concurrent: 5,
      calls_per_minute: 10,
      scheduled_start: null,
      retry_policy: {
        max_attempts: 3,
        busy_delay_seconds: 300,
        no_answer_delay_seconds: 3600,
        failed_delay_seconds: 900,
      },
    });
  });

  it('have their defaults in a campaign that is older than they are', () => {
    const {
      retry_policy: _,
      scheduled_start: __,
      ...older
    } = toStoredSettings(campaignSettings.parse(requested));
    expect(toShownSettings(older as StoredCampaignSettings)).toMatchObject({
      name: requested.name,
      scheduled_start: null,
      retry_policy: { max_attempts: 3 },
    });
  });

  it('are changed one by one; null is a change, too', () => {
    expect(toStoredChanges({})).toEqual({});
    expect(toStoredChanges({ success_criteria: null, outcome_labels: undefined })).toEqual({
      success_criteria: null,
    });
    expect(toStoredChanges({ extraction_schema: {} })).toEqual({ extraction_schema: '{}' });
  });

  it('each have a field in requests, a column and a field in responses', () => {
    const names = Object.keys(requested);
    expect(Object.keys(SETTING_COLUMNS)).toEqual(names);
    expect(Object.keys(campaignCreate.shape)).toEqual([...names, 'contacts']);
    expect(Object.keys(campaignResponse.shape)).toEqual(expect.arrayContaining(names));
  });
});
