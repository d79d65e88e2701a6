import type { Clock } from '@voice/shared/clock/clock';
import type { Log } from '@voice/shared/log/log';
import type { Tracer } from '@voice/shared/tracing/tracer';
import type { Connection } from 'mongoose';
import type { Registry } from 'prom-client';
import type { Config } from '../config.js';
import type { CursorCodec } from './http/pagination.js';
import type { Route } from './http/route.js';
import type { KeyedJob } from './jobs/keyed-job.js';
import type { RecurringJob } from './jobs/rounds.js';
import type { SecretBox } from './secrets/secret-box.js';

/** What every module is given: the edges of the process. */
export interface Platform {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  /** Models are made on this connection (`store.model(name, schema)`), never on mongoose's global one. */
  readonly store: Connection;
  readonly metrics: Registry;
  readonly tracer: Tracer;
  readonly secrets: SecretBox;
  readonly cursors: CursorCodec;
  /** Returns how clients and carriers reach this service, without a trailing slash. Known once it listens. */
  publicUrl(): string;
  /** Returns how workers reach what is between the planes, without a trailing slash. Known once it listens. */
  internalUrl(): string;
}

/** A part of the control plane: its routes, and what runs beside them. */
export interface Module {
  readonly name: string;
  /** The public API. */
  readonly routes?: readonly Route[];
  /**
   * What carriers, the payment provider and the identity provider send, signed by them: served where the public API
   * is, outside of its contract. Under the paths of `INTAKE_PATH`.
   */
  readonly intakeRoutes?: readonly Route[];
  /** Under /internal: between the planes, and the operator's. Served on the internal listener alone. */
  readonly internalRoutes?: readonly Route[];
  /** What every replica offers to run, and one at a time runs. */
  readonly jobs?: readonly RecurringJob[];
  /** Of each key of which one replica at a time runs the job, when it is due. */
  readonly keyedJobs?: readonly KeyedJob[];
  /** Runs when the store is ready and indexed, and the server listens. */
  start?(): Promise<void>;
  /** No more requests come: ends those that would go on for long. */
  endStreams?(): void;
  /** Runs when the last request was answered, in the reverse order of the starts; also after a start that failed. */
  stop?(): Promise<void>;
}
