import { createPortalSession, createSession, getSetupIntent } from './checkout.js';
import {
  createCustomer,
  getCustomer,
  getPaymentMethod,
  listPaymentMethods,
  updateCustomer,
} from './customers.js';
import type { Endpoint } from './endpoint.js';
import { createMeterEvent, createSubscription, listSubscriptions } from './usage-billing.js';

/** Every endpoint that the emulator has. */
export const ENDPOINTS: readonly Endpoint[] = [
  createCustomer,
  getCustomer,
  updateCustomer,
  listPaymentMethods,
  getPaymentMethod,
  getSetupIntent,
  createSession,
  createPortalSession,
  createMeterEvent,
  createSubscription,
  listSubscriptions,
];
