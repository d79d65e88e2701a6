import type twilio from 'twilio';
import type { AvailableNumber, CarrierNumbers, NumberSearch, OwnedNumber } from '../port.js';
import { isNotFound, twilioFailure } from './failures.js';

/** Numbers of a Twilio account (twilio.com/docs/phone-numbers/api). */
export class TwilioNumbers implements CarrierNumbers {
  readonly #client: twilio.Twilio;

  constructor(client: twilio.Twilio) {
    this.#client = client;
  }

  async search({ country, areaCode, limit }: NumberSearch, _signal: AbortSignal): Promise<AvailableNumber[]> {
    try {
      const found = await this.#client.availablePhoneNumbers(country).local.list({
        ...(areaCode === undefined ? {} : { areaCode: Number(areaCode) }),
        voiceEnabled: true,
        limit,
        pageSize: limit,
      });
      return found.map((entry) => ({
        number: entry.phoneNumber,
        country: entry.isoCountry,
        region: entry.region || null,
        locality: entry.locality || null,
        voice: entry.capabilities.voice,
        // Searches spell it SMS, whatever the SDK's types say.
        sms: entry.capabilities.sms ?? (entry.capabilities as { SMS?: boolean }).SMS ?? false,
      }));
    } catch (error) {
      // A country in which nothing is sold.
      if (isNotFound(error)) return [];
      throw twilioFailure(error);
    }
  }

  async buy(number: string, callbackBaseUrl: string, _signal: AbortSignal): Promise<OwnedNumber> {
    try {
      const bought = await this.#client.incomingPhoneNumbers.create({
        phoneNumber: number,
        voiceUrl: `${callbackBaseUrl}/inbound`,
        voiceMethod: 'POST',
        statusCallback: `${callbackBaseUrl}/status`,
        statusCallbackMethod: 'POST',
      });
      return { number: bought.phoneNumber, carrierNumberId: bought.sid };
    } catch (error) {
      throw twilioFailure(error);
    }
  }

  async owned(number: string, _signal: AbortSignal): Promise<OwnedNumber | null> {
    try {
      const [found] = await this.#client.incomingPhoneNumbers.list({ phoneNumber: number, limit: 1 });
      return found?.phoneNumber === number ? { number, carrierNumberId: found.sid } : null;
    } catch (error) {
      throw twilioFailure(error);
    }
  }

  async release(carrierNumberId: string, _signal: AbortSignal): Promise<void> {
    try {
      await this.#client.incomingPhoneNumbers(carrierNumberId).remove();
    } catch (error) {
      if (isNotFound(error)) return;
      throw twilioFailure(error);
    }
  }
}
