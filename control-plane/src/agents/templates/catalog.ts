import { collections, paymentReminder } from './library/collections.js';
import { eventConfirmation, restaurantReservation, survey } from './library/guests-and-surveys.js';
import { healthcareAppointment, prescriptionReminder } from './library/healthcare.js';
import { hrScreening, interviewScheduling } from './library/hr.js';
import { insuranceClaimIntake, insuranceQuote } from './library/insurance.js';
import { demoBooking, realEstateLead, renewal, salesQualification } from './library/sales.js';
import { customerSupport, orderStatus } from './library/support.js';
import type { AgentTemplate } from './template.js';

/** The built-in templates, in the order in which they are shown. */
export const AGENT_TEMPLATES: readonly AgentTemplate[] = [
  hrScreening,
  interviewScheduling,
  salesQualification,
  demoBooking,
  renewal,
  realEstateLead,
  healthcareAppointment,
  prescriptionReminder,
  insuranceClaimIntake,
  insuranceQuote,
  collections,
  paymentReminder,
  customerSupport,
  orderStatus,
  restaurantReservation,
  survey,
  eventConfirmation,
];

export function agentTemplate(slug: string): AgentTemplate | undefined {
  return AGENT_TEMPLATES.find((template) => template.slug === slug);
}
