/** A recorded utterance: mu-law at 8 kHz in frames of 20 ms, base64. */
export interface Utterance {
  readonly frames: readonly string[];
  /** The first and the last frame that are loud enough to be speech. */
  readonly firstLoud: number;
  readonly lastLoud: number;
}

/** What the command that starts k6 hands it: the system, and how much to ask of it. */
export interface Settings {
  readonly apiUrl: string;
  readonly key: string;
  readonly agentId: string;
  /** The number of the agent, which callers dial. */
  readonly phoneNumber: string;
  /** Of the carrier that k6 plays. */
  readonly carrier: { readonly accountSid: string; readonly authToken: string };
  /** Where webhooks are delivered, and what is known of them there. */
  readonly receiverUrl: string;
  /** Test numbers, by how the person behind them behaves. */
  readonly numbers: Readonly<Record<'busy' | 'rejects', string>>;
  readonly callerId: string;
  /** The shortest possible answer: endpointing and the delays of the emulated vendors, in ms. */
  readonly idealMs: number;
  /** Length of a call, in seconds. */
  readonly callSeconds: number;
  readonly campaignContacts: number;
  /** When k6 interrupts what has not ended, in seconds from its start. */
  readonly endSeconds: number;
  readonly sentences: readonly Utterance[];
  readonly interruptions: readonly Utterance[];
}
