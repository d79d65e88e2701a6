/** A row as far as what is sealed in it is concerned. */
export type SealedRow = Readonly<Record<string, unknown>> & {
  readonly _id: string;
  readonly tenant_id?: string;
};

/** A column of the store that holds sealed secrets. */
export interface SealedColumn {
  readonly collection: string;
  readonly field: string;
  /** Further fields that the purpose is made of, beside `_id` and `tenant_id`. */
  readonly needs?: readonly string[];
  /** What the column of this row was sealed for. */
  readonly purpose: (row: SealedRow) => string;
}

/**
 * Every column that holds something sealed, as its owner seals it: what is not here is lost with its key. A test holds
 * the list against the code that seals and against a store that is full.
 */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { collection: 'agents', field: 'secrets', purpose: ({ _id }) => `agents/${_id}` },
  {
    collection: 'webhook_subscriptions',
    field: 'secret',
    purpose: ({ _id }) => `webhooks/${_id}`,
  },
  {
    collection: 'vendor_keys',
    field: 'keys',
    purpose: ({ tenant_id }) => `tenants/${tenant_id}/vendor-keys`,
  },
  {
    collection: 'integration_connections',
    field: 'credentials',
    needs: ['slug'],
    purpose: ({ tenant_id, slug }) => `tenants/${tenant_id}/integrations/${String(slug)}`,
  },
  {
    collection: 'integration_revocations',
    field: 'credentials',
    purpose: ({ _id, tenant_id }) => `tenants/${tenant_id}/revocations/${_id}`,
  },
  {
    collection: 'integration_oauth_states',
    field: 'verifier',
    purpose: ({ _id }) => `oauth-states/${_id}`,
  },
  {
    collection: 'integration_tool_runs',
    field: 'outcome',
    purpose: ({ _id, tenant_id }) => `tenants/${tenant_id}/tool-runs/${_id}`,
  },
  // By their stored names.
  ...(
    [
      ['agent_snapshot', 'agent'],
      ['messages', 'messages'],
      ['last_told', 'told'],
    ] as const
  ).map(
    ([field, what]): SealedColumn => ({
      collection: 'test_sessions',
      field,
      purpose: ({ _id, tenant_id }) => `tenants/${tenant_id}/test-sessions/${_id}/${what}`,
    }),
  ),
  { collection: 'idempotency_keys', field: 'answer', purpose: ({ _id }) => `idempotency/${_id}` },
  {
    collection: 'calls',
    field: 'handoffs',
    purpose: ({ _id, tenant_id }) => `tenants/${tenant_id}/calls/${_id}/handoffs`,
  },
  {
    collection: 'calls',
    field: 'archive_secret',
    purpose: ({ _id, tenant_id }) => `tenants/${tenant_id}/calls/${_id}/archive`,
  },
  // The most rows by far, and the last to be asked for once their call is over.
  {
    collection: 'calls',
    field: 'agent_snapshot',
    purpose: ({ _id, tenant_id }) => `tenants/${tenant_id}/calls/${_id}/agent`,
  },
];
