import type { mongo } from 'mongoose';
import { expect, it } from 'vitest';
import { untargeted } from './shard-watch.js';

const sent = (name: string, command: mongo.Document, collection = 'calls') => ({
  database: 'test',
  collection,
  name,
  command,
});
const update = (...filters: mongo.Document[]) =>
  sent('update', { updates: filters.map((q) => ({ q, u: {} })) });

it.each([
  ['an update by the id alone', update({ _id: 'a', status: 'QUEUED' }), 'calls.update _id,status'],
  ['a write by nothing', sent('delete', { deletes: [{ q: {} }] }), 'calls.delete '],
  ['one statement of many', update({ _id: 'a', tenant_id: 't' }, { _id: 'b' }), 'calls.update _id'],
  [
    'one that gives back what it changes',
    sent('findAndModify', { query: { _id: 'a' } }),
    'calls.findAndModify _id',
  ],
  [
    'a read of several',
    sent('find', { filter: { _id: { $in: ['a'] }, fanned_out: false } }, 'events'),
    'events.find _id,fanned_out',
  ],
  [
    'a read by its call',
    sent('find', { filter: { call_id: 'a' } }, 'call_events'),
    'call_events.find call_id',
  ],
  [
    'a read by its destination, which begins with the tenant',
    sent(
      'find',
      { filter: { destination: { $in: ['t http://a'] }, status: 'pending' } },
      'webhook_deliveries',
    ),
    'webhook_deliveries.find destination,status',
  ],
  [
    'one branch of an or',
    sent('find', { filter: { $or: [{ _id: 'a', tenant_id: 't' }, { _id: 'b' }] } }, 'events'),
    'events.find $or',
  ],
  [
    'a count',
    sent('aggregate', { pipeline: [{ $match: { campaign_id: 'a' } }] }, 'campaign_contacts'),
    'campaign_contacts.aggregate campaign_id',
  ],
])('finds %s', (_, command, shape) => {
  expect(untargeted(command)).toEqual([shape]);
});

it.each([
  ['an update by tenant and id', update({ _id: 'a', tenant_id: 't' })],
  ['one of several tenants', update({ _id: { $in: ['a', 'b'] }, tenant_id: { $in: ['s', 't'] } })],
  ['an or whose branches all say it', sent('find', { filter: { $or: [{ _id: 'a', tenant_id: 't' }] } })],
  ['what a sweep looks for', sent('find', { filter: { fold_due_at: { $lte: new Date() } } })],
  ['a page behind an id', sent('find', { filter: { _id: { $gt: 'a' } } })],
  ['what is on one shard', sent('update', { updates: [{ q: { _id: 'a' } }] }, 'campaigns')],
  ['what a worker names', sent('find', { filter: { _id: { $in: ['a'] } } })],
])('takes %s', (_, command) => {
  expect(untargeted(command)).toEqual([]);
});
