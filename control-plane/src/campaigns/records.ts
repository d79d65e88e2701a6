import type { Connection } from 'mongoose';
import { type ContactModel, contactModel } from './contacts/model.js';
import { type CampaignModel, campaignModel } from './model.js';

/** What is stored of campaigns. Each collection's model is built here, once, and lent to whoever reads campaigns. */
export class CampaignRecords {
  readonly campaigns: CampaignModel;
  readonly contacts: ContactModel;

  constructor(store: Connection) {
    this.campaigns = campaignModel(store);
    this.contacts = contactModel(store);
  }
}
