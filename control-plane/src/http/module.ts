import type { Clock } from '@voice/shared/clock/clock';
import type { Log } from '@voice/shared/log/log';
import type { Connection } from 'mongoose';
import type { Registry } from 'prom-client';
import type { Config } from '../config.js';
import type { SecretBox } from '../secrets/secret-box.js';
import type { CursorCodec } from './pagination.js';
import type { Route } from './route.js';

/** What every module is given: the edges of the process. */
export interface Platform {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  /** Models are made on this connection (`store.model(name, schema)`), never on mongoose's global one. */
  readonly store: Connection;
  readonly metrics: Registry;
  readonly secrets: SecretBox;
  readonly cursors: CursorCodec;
  /** How clients and carriers reach this service, without a trailing slash. Known once it listens. */
  publicUrl(): string;
}

/** A part of the control plane: its routes, and what runs beside them. */
export interface Module {
  readonly name: string;
  /** The public API. */
  readonly routes?: readonly Route[];
  /** Under /internal: between the planes, and carriers' callbacks. Not in the OpenAPI description. */
  readonly internalRoutes?: readonly Route[];
  /** Runs when the store is ready and indexed, and the server listens. */
  start?(): Promise<void>;
  /** Runs when the last request was answered, in the reverse order of the starts; also after a start that failed. */
  stop?(): Promise<void>;
}
