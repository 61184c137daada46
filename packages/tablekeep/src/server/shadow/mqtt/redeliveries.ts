import { createHash } from "node:crypto";
import type { Clock } from "@tablekeep/core";
import { mqttLimits } from "./mqtt-limits.ts";

/** A message with a number of its client's: QoS 1. */
export interface NumberedMessage {
  readonly clientId: string;
  readonly messageId: number;
  readonly topic: string;
  readonly payload: Uint8Array;
  /** Whether the client says that it sends it again. */
  readonly isRepeated: boolean;
}

interface Remembered<Answer> {
  readonly digest: string;
  readonly answer: Promise<Answer>;
  readonly at: number;
}

const { rememberedAnswers, rememberedMs } = mqttLimits;

/**
 * Remembers what messages of QoS 1 were answered, so that one that is delivered again is answered again and not done
 * again. Only as long as this process lives.
 */
export class Redeliveries<Answer> {
  readonly #clock: Clock;
  readonly #answers = new Map<string, Remembered<Answer>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The first answer of a message that is delivered again; what `work` gives otherwise. */
  once(message: NumberedMessage, work: () => Promise<Answer>): Promise<Answer> {
    const key = `${message.messageId} ${message.clientId}`;
    const digest = createHash("sha256")
      .update(message.topic)
      .update("\0")
      .update(message.payload)
      .digest("base64");
    const known = this.#answers.get(key);
    const now = this.#clock.monotonic();
    const isSame = known !== undefined && known.digest === digest && now - known.at <= rememberedMs;
    if (message.isRepeated && isSame) return known.answer;
    const answer = work();
    this.#answers.delete(key);
    this.#answers.set(key, { digest, answer, at: now });
    this.#forgetOldest(now);
    return answer;
  }

  #forgetOldest(now: number): void {
    for (const [key, { at }] of this.#answers) {
      if (this.#answers.size <= rememberedAnswers && now - at <= rememberedMs) return;
      this.#answers.delete(key);
    }
  }
}
