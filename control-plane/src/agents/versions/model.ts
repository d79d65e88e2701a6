import { type Connection, Schema } from 'mongoose';
import type { Actor } from '../../platform/http/actor.js';
import { authorSchema } from '../model.js';

/**
 * What an agent was before a change. The version that is in force is the agent's own document; it is copied here
 * before another takes its place, so that none is lost wherever a process is killed. Secrets are not kept.
 */
export interface AgentVersionRow {
  /** `<agent id>/<version>`: copied twice, it is one. */
  _id: string;
  tenant_id: string;
  agent_id: string;
  version: number;
  name: string;
  is_active: boolean;
  definition: string;
  /** What the change that made it has changed, as paths of fields. */
  changed: string[];
  /** Who saved it; null or absent where that was not known. */
  author?: Actor | null;
  /** When it was made. */
  created_at: Date;
}

const agentVersionSchema = new Schema<AgentVersionRow>(
  {
    _id: String,
    tenant_id: { type: String, required: true },
    agent_id: { type: String, required: true },
    version: { type: Number, required: true },
    name: { type: String, required: true },
    is_active: { type: Boolean, required: true },
    definition: { type: String, required: true },
    changed: { type: [String], required: true },
    author: { type: authorSchema },
    created_at: { type: Date, required: true },
  },
  { versionKey: false, autoIndex: false, autoCreate: false, collection: 'agent_versions' },
);
agentVersionSchema.index({ tenant_id: 1, agent_id: 1, version: -1 });

export function agentVersionModel(store: Connection) {
  return store.model<AgentVersionRow>('AgentVersion', agentVersionSchema);
}
