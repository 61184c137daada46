import { crc32 } from "node:zlib";
import type { Clock } from "@tablekeep/core";
import type { MqttLimits } from "../protocol/mqtt-limits.ts";

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
  /** 0 until the response is complete. */
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
  /** When the oldest response expires. */
  #expiresAt = Number.POSITIVE_INFINITY;

  constructor(options: PublishDeduplicatorOptions<Answer>) {
    this.#options = options;
  }

  /** Returns the first response to a redelivered message; otherwise the result of `work`. */
  once(message: NumberedMessage, work: () => Promise<Answer>): Promise<Answer> {
    const key = `${message.messageId} ${message.clientId}`;
    const digest = digestOf(message);
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

  /** A map keeps the slots of deleted entries for a while, and iterating over them is slow, so many are dropped at the limit. */
  #forgetOldest(now: number): void {
    const { rememberedAnswers, rememberedBytes, rememberedMs } = this.#options.limits;
    this.#expiresAt = Math.min(this.#expiresAt, now + rememberedMs);
    const isMany = this.#answers.size > rememberedAnswers;
    if (!isMany && this.#bytes <= rememberedBytes && now <= this.#expiresAt) return;
    const maxAnswers = isMany ? rememberedAnswers * keptShare : rememberedAnswers;
    for (const [key, { at }] of this.#answers) {
      this.#expiresAt = at + rememberedMs;
      const isFew = this.#answers.size <= maxAnswers && this.#bytes <= rememberedBytes;
      if (isFew && now <= this.#expiresAt) return;
      this.#forget(key);
    }
    this.#expiresAt = Number.POSITIVE_INFINITY;
  }
}

/** The share of the responses that stays in memory when the limit is exceeded. */
const keptShare = 0.9;

/** Distinguishes a redelivered message from another one with the same packet id. */
function digestOf({ topic, payload }: NumberedMessage): string {
  return `${payload.length} ${crc32(payload)} ${topic}`;
}
