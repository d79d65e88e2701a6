import type { CarrierAccount, CarrierName } from '@voice/shared/catalogue/carriers';
import type { Clock } from '@voice/shared/clock/clock';
import type { Log } from '@voice/shared/log/log';
import type { Connection } from 'mongoose';
import { apiError } from '../../platform/http/error-codes.js';
import type { Route } from '../../platform/http/route.js';
import type { Carrier, CarrierCallback, CarrierReport, InboundAnswer, InboundCall } from './port.js';

/** Handles what carriers report, whichever reports it. */
export interface CarrierReports {
  /** Throws 404 `call_not_found` for a call that nobody here knows. */
  accept(carrier: CarrierName, report: CarrierReport): Promise<void>;
  /** Decides what becomes of somebody who calls a number. */
  receive(carrier: Carrier, call: InboundCall): Promise<InboundAnswer>;
}

export interface CallbackOptions {
  readonly reports: CarrierReports;
  /** How carriers reach this service, without a trailing slash. */
  readonly publicUrl: () => string;
  readonly store: Connection;
  readonly clock: Clock;
  readonly log: Log;
}

/** One carrier of the catalogue as this installation has it. */
export interface InstalledCarrier {
  readonly name: CarrierName;
  /** Undefined without an account. */
  readonly carrier: Carrier | undefined;
  /** Returns the routes of its callbacks; they answer 502 `carrier_error` without an account. */
  routes(options: CallbackOptions): readonly Route[];
}

/** What a carrier's folder gives: it is registered in `registration.ts`, and nowhere else. */
export interface CarrierAdapter<Name extends CarrierName> {
  install(account: CarrierAccount<Name> | undefined): InstalledCarrier;
}

export interface CarrierParts<Name extends CarrierName, Own extends Carrier> {
  readonly name: Name;
  readonly create: (account: CarrierAccount<Name>) => Own;
  /** `carrier` throws 502 `carrier_error` where there is no account. */
  readonly routes: (carrier: () => Own, options: CallbackOptions) => readonly Route[];
}

/** Makes an adapter of a carrier's own type of call control and of the routes that use it. */
export function defineCarrier<Name extends CarrierName, Own extends Carrier>({
  name,
  create,
  routes,
}: CarrierParts<Name, Own>): CarrierAdapter<Name> {
  return {
    install(account) {
      const carrier = account === undefined ? undefined : create(account);
      const connected = () => {
        if (!carrier) throw notConfigured(name);
        return carrier;
      };
      return { name, carrier, routes: (options) => routes(connected, options) };
    },
  };
}

export function notConfigured(name: CarrierName) {
  return apiError('carrier_error', `The carrier "${name}" is not configured here.`);
}

/** Longer than any carrier's callback, in bytes: who sent it is known only when all of it was read. */
export const CALLBACK_LIMIT_BYTES = 128 * 1024;

interface Arrived {
  readonly rawBody: Buffer;
  readonly request: { readonly originalUrl: string; get(name: string): string | undefined };
}

/** Reads a request as a callback. */
export function callbackOf({ rawBody, request }: Arrived, publicUrl: () => string): CarrierCallback {
  return {
    // As the carrier knows it; a proxy in between may have changed what the request says.
    url: publicUrl() + request.originalUrl,
    rawBody,
    header: (name) => request.get(name),
  };
}
