import { testNumber } from '@voice/shared/contracts/test-numbers';

/** Contacts of one campaign (specification, section 8). */
export const MAX_CONTACTS = 10_000;
/** Of a contact's custom fields, as JSON. */
export const LONGEST_DATA = 16_384;
/** Of the name of a custom field. */
export const LONGEST_FIELD_NAME = 128;
/** Errors and duplicates that are listed one by one; the rest is counted. */
const MAX_LISTED = 1000;

/** A contact as it will be called. */
export interface NewContact {
  readonly phone: string;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface RowError {
  readonly line: number;
  readonly code: string;
  readonly message: string;
}

export interface Duplicate {
  readonly line: number;
  readonly first_line: number;
  readonly phone: string;
}

/**
 * Gathers a campaign's contacts and what is wrong with the rest. A number that occurs again is listed and
 * left out, so that nobody is called twice; only the sandbox's few test numbers may repeat.
 */
export class ContactList {
  readonly contacts: NewContact[] = [];
  readonly errors: RowError[] = [];
  readonly duplicates: Duplicate[] = [];
  rows = 0;
  errorCount = 0;
  duplicateCount = 0;
  readonly #firstLines = new Map<string, number>();

  add(contact: NewContact, line: number): void {
    this.rows++;
    const first = this.#firstLines.get(contact.phone);
    if (first !== undefined && !testNumber(contact.phone)) {
      this.duplicateCount++;
      if (this.duplicates.length < MAX_LISTED)
        this.duplicates.push({ line, first_line: first, phone: contact.phone });
      return;
    }
    this.#firstLines.set(contact.phone, line);
    this.contacts.push(contact);
  }

  refuse(error: RowError): void {
    this.rows++;
    this.errorCount++;
    if (this.errors.length < MAX_LISTED) this.errors.push(error);
  }
}
