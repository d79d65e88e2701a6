import { type Connection, type Model, Schema } from 'mongoose';

export const TEST_SESSION_KINDS = ['text', 'websocket', 'webrtc'] as const;
type TestSessionKind = (typeof TEST_SESSION_KINDS)[number];

/** How long a session is kept after its last turn, in ms. */
export const SESSION_LIFE_MS = 24 * 60 * 60 * 1000;

/** The field of the events emitted in the last kept turn. Documents and replicas of every version name it so. */
export const LAST_TURN_EVENTS = 'last_told';

/** An agent being tried out. What was said in a text session is here; a voice session has a call. */
export interface TestSessionRow {
  _id: string;
  tenant_id: string;
  agent_id: string;
  kind: TestSessionKind;
  sandbox: boolean;
  /** The agent as it was when the session began, sealed. */
  agent_snapshot: string;
  analysis_settings: string;
  /** JSON of the text conversation as the model sees it, sealed: tools' results may hold what is secret. */
  messages: string;
  /** JSON of the transcript turns, and of the tools that were run. */
  transcript: string;
  tool_executions: string;
  /** How many turns the caller has had; a turn that is kept moves it on by one. */
  turns: number;
  /** The request that the last kept turn answered, when it was one that may be repeated. */
  last_request?: string | null;
  /** Sealed JSON. */
  [LAST_TURN_EVENTS]?: string | null;
  ended_at: Date | null;
  /** Until then one request answers a turn, and no other may begin one. */
  turn_lease_until: Date;
  /** JSON of the analysis, and of how many turns it is. */
  analysis: string | null;
  analysed_turns: number;
  analysis_lease_until: Date;
  created_at: Date;
  expires_at: Date;
}

export type TestSessionModel = Model<TestSessionRow>;

const text = { type: String, required: true };

const testSessionSchema = new Schema<TestSessionRow>(
  {
    _id: text,
    tenant_id: text,
    agent_id: text,
    kind: { type: String, enum: [...TEST_SESSION_KINDS], required: true },
    sandbox: { type: Boolean, required: true },
    agent_snapshot: text,
    analysis_settings: text,
    messages: text,
    transcript: text,
    tool_executions: text,
    turns: { type: Number, required: true },
    last_request: { type: String, default: null },
    [LAST_TURN_EVENTS]: { type: String, default: null },
    ended_at: { type: Date, default: null },
    turn_lease_until: { type: Date, required: true },
    analysis: { type: String, default: null },
    analysed_turns: { type: Number, required: true },
    analysis_lease_until: { type: Date, required: true },
    created_at: { type: Date, required: true },
    expires_at: { type: Date, required: true },
  },
  { versionKey: false, strict: 'throw' },
);
testSessionSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 });
testSessionSchema.index({ tenant_id: 1, agent_id: 1 });

export function testSessionModel(store: Connection): TestSessionModel {
  return store.model<TestSessionRow>('TestSession', testSessionSchema, 'test_sessions');
}
