import { type Connection, type Model, Schema } from 'mongoose';

/** A tenant as a customer of the payment provider. */
interface CustomerRow {
  /** The tenant's id. */
  _id: string;
  customer_id: string;
  created_at: Date;
}

export type CustomerModel = Model<CustomerRow>;

const customerSchema = new Schema<CustomerRow>(
  {
    _id: { type: String, required: true },
    customer_id: { type: String, required: true },
    created_at: { type: Date, required: true },
  },
  { versionKey: false, strict: 'throw' },
);
customerSchema.index({ customer_id: 1 }, { unique: true });

export function customerModel(store: Connection): CustomerModel {
  return store.model<CustomerRow>('PaymentCustomer', customerSchema, 'payment_customers');
}
