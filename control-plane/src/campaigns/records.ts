import type { Connection } from 'mongoose';
import { type ContactModel, contactModel } from './contacts/model.js';
import { type CampaignModel, campaignModel } from './model.js';

/** Builds the models of campaigns and their contacts, once, for all that read them. */
export class CampaignRecords {
  readonly campaigns: CampaignModel;
  readonly contacts: ContactModel;

  constructor(store: Connection) {
    this.campaigns = campaignModel(store);
    this.contacts = contactModel(store);
  }
}
