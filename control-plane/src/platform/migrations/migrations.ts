import type { IndexName, Migration } from './migration.js';

const indexesOf = (collection: string, ...names: readonly string[]): readonly IndexName[] =>
  names.map((name) => ({ collection, name }));

/**
 * Every step there is, in the order of their numbers. A step that was released stays as it is: what was forgotten is a
 * step of its own.
 *
 * A new index needs none: it is built because it is declared. One with another key or other options takes a new name,
 * and a step retires the old one: until then queries have it. Where it must keep its name (`replaces`), it is
 * dropped before it is built anew, and meanwhile queries read the whole collection.
 */
export const MIGRATIONS: readonly Migration[] = [
  {
    number: 1,
    name: 'dnc-entries-by-mode',
    summary: 'Do-not-call entries from before the list was kept by mode are those of production.',
    changes: [
      {
        collection: 'dnc_entries',
        outdated: { sandbox: { $exists: false } },
        update: { $set: { sandbox: false } },
      },
    ],
    // The unique one is an error, not just a waste: it refuses a number in one mode that is listed in the other.
    retires: indexesOf('dnc_entries', 'tenant_id_1_number_1', 'tenant_id_1_created_at_-1__id_-1'),
  },
  {
    number: 2,
    name: 'lists-by-mode',
    summary: 'Lists are read by tenant and mode: the indexes of lists by tenant alone go.',
    retires: [
      ...indexesOf(
        'calls',
        'tenant_id_1_created_at_-1__id_-1',
        'tenant_id_1_status_1_created_at_-1__id_-1',
        'tenant_id_1_agent_id_1_created_at_-1__id_-1',
        'tenant_id_1_carrier_1',
        'tenant_id_1_post_call_due_at_1',
        'tenant_id_1_sandbox_1_status_1_created_at_-1__id_-1',
        'tenant_id_1_sandbox_1_agent_id_1_created_at_-1__id_-1',
      ),
      ...indexesOf('api_keys', 'tenant_id_1_created_at_-1__id_-1'),
      ...indexesOf(
        'campaigns',
        'tenant_id_1_published_1_created_at_-1__id_-1',
        'tenant_id_1_published_1_status_1_created_at_-1__id_-1',
      ),
    ],
  },
  {
    number: 3,
    name: 'sweeps-by-partial-indexes',
    summary: 'Sweeps go by indexes of the few documents that they look for: those of all documents go.',
    retires: [
      ...indexesOf(
        'calls',
        'worker_id_1_status_1__id_1',
        'status_1_dispatch_lease_until_1',
        'status_1_ring_deadline_at_1',
        'status_1_carrier_ended_at_1',
        'untold_1',
        'post_call_due_at_1',
        'publish_due_at_1',
      ),
      ...indexesOf('usage_records', 'meter_due_at_1'),
    ],
  },
  {
    number: 4,
    name: 'checks-by-mode',
    summary: 'Compliance checks are listed by tenant and mode: their index by tenant alone goes.',
    retires: indexesOf('compliance_checks', 'tenant_id_1_created_at_-1__id_-1'),
  },
];
