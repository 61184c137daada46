import { createHash } from "node:crypto";
import type { Clock } from "@tablekeep/core";
import type { MqttLimits } from "./mqtt-limits.ts";

/** A message with a packet id of its client: QoS 1. */
export interface NumberedMessage {
  readonly clientId: string;
  readonly messageId: number;
  readonly topic: string;
  readonly payload: Uint8Array;
  /** Whether the client marked it as redelivered. */
  readonly isRepeated: boolean;
}

interface Remembered<Answer> {
  readonly digest: string;
  readonly answer: Promise<Answer>;
  readonly at: number;
  /** 0 until the answer is complete. */
  bytes: number;
}

/** Dependencies of the deduplicator. */
export interface PublishDeduplicatorOptions<Answer> {
  readonly clock: Clock;
  readonly limits: Pick<MqttLimits, "rememberedAnswers" | "rememberedBytes" | "rememberedMs">;
  readonly bytesOf: (answer: Answer) => number;
}

/**
 * Remembers the responses to messages of QoS 1, so that a redelivered one is answered again and not performed
 * again. Lasts only as long as this process.
 */
export class PublishDeduplicator<Answer> {
  readonly #options: PublishDeduplicatorOptions<Answer>;
  readonly #answers = new Map<string, Remembered<Answer>>();
  #bytes = 0;

  constructor(options: PublishDeduplicatorOptions<Answer>) {
    this.#options = options;
  }

  /** Returns the first response to a redelivered message; otherwise the result of `work`. */
  once(message: NumberedMessage, work: () => Promise<Answer>): Promise<Answer> {
    const key = `${message.messageId} ${message.clientId}`;
    const digest = createHash("sha256")
      .update(message.topic)
      .update("\0")
      .update(message.payload)
      .digest("base64");
    const known = this.#answers.get(key);
    const { clock, limits, bytesOf } = this.#options;
    const now = clock.monotonic();
    const isRecent = known !== undefined && now - known.at <= limits.rememberedMs;
    if (message.isRepeated && isRecent && known.digest === digest) return known.answer;
    const answer = work();
    this.#forget(key);
    const entry = { digest, answer, at: now, bytes: 0 };
    this.#answers.set(key, entry);
    this.#forgetOldest(now);
    return answer.then((given) => {
      this.#weigh(key, entry, bytesOf(given));
      return given;
    });
  }

  #weigh(key: string, entry: Remembered<Answer>, bytes: number): void {
    if (this.#answers.get(key) !== entry) return;
    entry.bytes = bytes;
    this.#bytes += bytes;
    this.#forgetOldest(entry.at);
  }

  #forget(key: string): void {
    this.#bytes -= this.#answers.get(key)?.bytes ?? 0;
    this.#answers.delete(key);
  }

  #forgetOldest(now: number): void {
    const { rememberedAnswers, rememberedBytes, rememberedMs } = this.#options.limits;
    for (const [key, { at }] of this.#answers) {
      const isFew = this.#answers.size <= rememberedAnswers && this.#bytes <= rememberedBytes;
      if (isFew && now - at <= rememberedMs) return;
      this.#forget(key);
    }
  }
}
