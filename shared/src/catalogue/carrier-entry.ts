import type { z } from 'zod';
import type { CarrierRates } from './carrier-rates.js';

/** What a carrier can do beyond placing, ending and transferring calls. */
export interface CarrierCapabilities {
  /** Whether a command that is sent twice is carried out once: one whose outcome is unknown may be repeated. */
  readonly repeatableCommands: boolean;
  /** Whether it detects answering machines, and waits for the beep of a machine. */
  readonly machineDetection: boolean;
  /** How it says what a call cost: when it is asked, in a callback, or not at all. */
  readonly ownPrice: 'request' | 'callback' | 'none';
  /** Ways of sending a verification code. */
  readonly codes: readonly ('sms' | 'voice')[];
  /** What its media streams can carry; the first is the default. */
  readonly codecs: readonly ('PCMU' | 'PCMA' | 'L16')[];
}

export interface CarrierPrices {
  /** The month in which the list was read, such as `2026-06`. */
  readonly asOf: string;
  readonly source: string;
  readonly rates: CarrierRates;
}

export interface CarrierEntry {
  readonly label: string;
  /** `sandbox`: it calls simulated people for sandbox keys alone. */
  readonly mode: 'production' | 'sandbox';
  /** What its media streams speak; workers take them at `/streams/<protocol>`. */
  readonly protocol: string;
  /** The fields of the account that the installation has at the carrier. */
  readonly account: z.ZodObject;
  /** The environment variable of each field. */
  readonly variables: Readonly<Record<string, string>>;
  /** Fields of which one is enough for the installation to mean this carrier: then every required one must be there. */
  readonly begunBy: readonly string[];
  readonly capabilities: CarrierCapabilities;
  /** Null: its calls cost nothing. */
  readonly prices: CarrierPrices | null;
}
