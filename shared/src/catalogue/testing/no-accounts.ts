import { VENDORS, type VendorAccounts } from '../vendor-accounts.js';

/** An installation without an account at any vendor. */
export const NO_ACCOUNTS = Object.fromEntries(
  Object.keys(VENDORS).map((vendor) => [vendor, {}]),
) as VendorAccounts;
