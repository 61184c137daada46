import { ClientError } from "@tablekeep/client";
import { type DynamoPort, isTablekeepError, wrapPort } from "@tablekeep/core";
import { faultyPort, type SeededRandom, seededRandom } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import { scale } from "../faults/scale.ts";
import { collect, itemsOf } from "../journal-world.ts";
import { AkkaPlugin } from "./akka-plugin.ts";
import { type SharedWorld, sharedWorld, table } from "./shared-world.ts";

/**
 * Both sides take turns on one id, with requests that are rejected or lost and processes that end anywhere. After every turn
 * the results of our replay and of the plugin's rules are compared with what was reported to either side.
 */
const turns = 10;
const akkaSizes = [1, 1, 1, 2, 20, 30, 130];
const ourSizes = [1, 1, 3, 40, 80, 110];

/** The results reported to callers of both sides. */
class Told {
  /** Acknowledged events, by number. */
  readonly #acked = new Map<number, string>();
  /** Texts of writes that failed or were interrupted on the way: any of them may be there, or not. */
  readonly #inDoubt = new Set<string>();
  /** The last numbers of acknowledged writes: deletes end there, because the plugin never reads the rest of a batch. */
  readonly ends: number[] = [];
  /** Everything below is deleted for sure, and everything below the second one may be. */
  #deletedBelow = 1;
  #askedBelow = 1;

  acked(first: number, texts: readonly string[]): void {
    for (const [at, text] of texts.entries()) {
      const before = this.#acked.get(first + at);
      if (before !== undefined) throw new Error(`number ${first + at} was ${before}, and now is ${text}`);
      this.#acked.set(first + at, text);
    }
    this.ends.push(first + texts.length - 1);
  }

  inDoubt(texts: readonly string[]): void {
    for (const text of texts) this.#inDoubt.add(text);
  }

  deleting(to: number): void {
    this.#askedBelow = Math.max(this.#askedBelow, to + 1);
  }

  deleted(to: number): void {
    this.#deletedBelow = Math.max(this.#deletedBelow, to + 1);
  }

  check(side: string, given: readonly ReplayedText[], highest: number): void {
    const texts = new Map(given.map(({ sequenceNr, text }) => [sequenceNr, text]));
    expect([side, texts.size]).toEqual([side, given.length]);
    for (const [number, text] of this.#acked) {
      if (number >= this.#askedBelow && texts.get(number) !== text)
        throw new Error(`${side}: ${text} was acknowledged as ${number}, and ${texts.get(number)} is read`);
    }
    for (const [number, text] of texts) {
      if (number < this.#deletedBelow)
        throw new Error(`${side}: ${text} is read at ${number}, and was deleted`);
      if (this.#acked.get(number) !== text && !this.#inDoubt.has(text))
        throw new Error(`${side}: ${text} is read at ${number}, and no append returned that`);
    }
    const last = Math.max(0, ...this.#acked.keys());
    if (highest < last)
      throw new Error(`${side}: the highest number is ${highest}, and ${last} was acknowledged`);
  }
}

interface ReplayedText {
  readonly sequenceNr: number;
  readonly text: string;
}

/** A walk of one seed. */
class Walk {
  readonly #random: SeededRandom;
  readonly #seed: number;
  readonly #world: SharedWorld;
  readonly #told = new Told();
  readonly trace: string[] = [];
  #texts = 0;

  constructor(seed: number, world: SharedWorld) {
    this.#random = seededRandom(seed);
    this.#seed = seed;
    this.#world = world;
  }

  async run(): Promise<void> {
    for (let turn = 0; turn < turns; turn++) {
      await (this.#random.chance(0.5) ? this.#akkaTurn() : this.#ourTurn());
      await this.#check();
      if (!this.#random.chance(0.2)) continue;
      await this.#expire();
      await this.#check();
    }
    await this.#leftOver();
    await this.#check();
    await this.#calm();
  }

  /** Of a long batch of Akka only a few groups arrive, often far above the end. */
  async #leftOver(): Promise<void> {
    const akka = await this.#world.akka(this.#refusing(this.#world.port, 0.7));
    const texts = this.#newTexts("left", 120);
    const first = akka.lastSequenceNr + 1;
    this.trace.push(`akka: ${texts.length} from ${first}, in part`);
    const isWhole = await akka.persistAll(texts).then(
      () => true,
      () => false,
    );
    if (isWhole) this.#told.acked(first, texts);
    else this.#told.inDoubt(texts);
  }

  async #akkaTurn(): Promise<void> {
    const { port, id } = this.#world;
    const akka = new AkkaPlugin({
      port: this.#refusing(port),
      table,
      id,
      shuffled: (all) => this.#random.shuffle(all),
    });
    await akka.recover();
    for (let operations = this.#random.int(1, 4); operations > 0; operations--) {
      if (this.#random.chance(0.35)) {
        await this.#akkaDeletes(akka.lastSequenceNr);
        continue;
      }
      const texts = this.#newTexts("akka", this.#random.pick(akkaSizes));
      const first = akka.lastSequenceNr + 1;
      try {
        if (texts.length === 1) await akka.persist(texts[0] as string);
        else await akka.persistAll(texts);
      } catch (error) {
        if (!isTablekeepError(error)) throw error;
        this.trace.push(`akka: ${texts.length} from ${first} failed`);
        this.#told.inDoubt(texts);
        return;
      }
      this.trace.push(`akka: ${texts.length} from ${first}`);
      this.#told.acked(first, texts);
    }
  }

  /**
   * Without faults: if interrupted, the plugin's own delete makes it assign numbers twice, because the next one begins at the low
   * mark and leaves the rows below it. A delete of ours that was interrupted leaves none there.
   */
  async #akkaDeletes(highest: number): Promise<void> {
    const to = this.#end();
    if (to === undefined || to > highest) return;
    this.trace.push(`akka: deletes to ${to}`);
    this.#told.deleting(to);
    await (await this.#world.akka()).deleteTo(to);
    this.#told.deleted(to);
  }

  async #ourTurn(): Promise<void> {
    const port = this.#mortal(this.#lossy(this.#world.port));
    try {
      const journal = await this.#world.open(port);
      let writer = await journal.recover(this.#world.id);
      for (let operations = this.#random.int(1, 4); operations > 0; operations--) {
        const to = this.#random.chance(0.35) ? this.#end() : undefined;
        if (to !== undefined) {
          this.trace.push(`ours: deletes to ${to}`);
          this.#told.deleting(to);
          await journal.deleteTo(this.#world.id, to);
          this.#told.deleted(to);
          continue;
        }
        const texts = this.#newTexts("ours", this.#random.pick(ourSizes));
        const outcome = await writer.append(texts.map((payload) => ({ payload })));
        this.trace.push(`ours: ${texts.length} from ${writer.highestSequenceNr}: ${outcome?.kind}`);
        if (outcome?.kind === "ok") this.#told.acked(outcome.value.first, texts);
        if (outcome?.kind === "unknown") this.#told.inDoubt(texts);
        if (outcome?.kind === "conflict" || outcome?.kind === "unknown")
          writer = await journal.recover(this.#world.id);
      }
    } catch (error) {
      // The process has ended.
      if (!isTablekeepError(error)) throw error;
      this.trace.push(`ours: ${error.code}`);
    }
  }

  /** No further faults: both sides continue. */
  async #calm(): Promise<void> {
    const { id } = this.#world;
    for (const size of [80, 1]) {
      const texts = this.#newTexts("calm", size);
      const kinds: (string | undefined)[] = [];
      while (kinds.at(-1) !== "ok") {
        if (kinds.length === 3) throw new Error(`an append of ${size} ends as ${kinds.join(", ")}`);
        const writer = await (await this.#world.open()).recover(id);
        const outcome = await writer.append(texts.map((payload) => ({ payload })));
        kinds.push(outcome?.kind);
        if (outcome?.kind === "ok") this.#told.acked(outcome.value.first, texts);
      }
      await this.#check();
      const akka = await this.#world.akka();
      const [text = ""] = this.#newTexts("calm", 1);
      this.#told.acked(await akka.persist(text), [text]);
      await this.#check();
    }
  }

  async #check(): Promise<void> {
    const { port, id } = this.#world;
    const journal = await this.#world.open();
    const ours = (await collect(journal.replay(id))).map(textOf);
    this.#told.check("ours", ours, await journal.highestSequenceNr(id));
    const akka = new AkkaPlugin({ port, table, id });
    this.#told.check("akka", (await akka.replay()).map(textOf), await akka.highestSequenceNr());
  }

  /** A port on which a batch of writes is rejected now and then. */
  #refusing(port: DynamoPort, rate = 0.15): DynamoPort {
    return wrapPort(port, async (operation, input, call, next) => {
      if (/Write|Put/.test(operation) && this.#random.chance(rate))
        throw new ClientError("CLIENT_CLOSED", "the request was refused", {});
      return next(operation, input, call);
    });
  }

  #lossy(port: DynamoPort): DynamoPort {
    const rate = this.#random.pick(["0", "0", ".02", ".1"]);
    if (rate === "0") return port;
    const kinds = ["lost-after-apply", "lost-before-apply"].map((kind) => `{kind:${kind},p:${rate}}`);
    return faultyPort(port, `seed=${this.#seed + this.#texts} faults=[${kinds.join(",")}]`);
  }

  /** A port of a process that may end before any request. */
  #mortal(port: DynamoPort): DynamoPort {
    let left = this.#random.chance(0.6) ? this.#random.int(0, 59) : Number.POSITIVE_INFINITY;
    return wrapPort(port, async (operation, input, call, next) => {
      if (left-- <= 0) throw new ClientError("CLIENT_CLOSED", "the process has ended", {});
      return next(operation, input, call);
    });
  }

  #newTexts(side: string, count: number): string[] {
    return Array.from({ length: count }, () => `${side}-${++this.#texts}`);
  }

  /** The end of an acknowledged write, often of the last one: then nothing is left. */
  #end(): number | undefined {
    const { ends } = this.#told;
    if (ends.length === 0) return undefined;
    return this.#random.chance(0.7) ? Math.max(...ends) : this.#random.pick(ends);
  }

  /** Expired items are removed, in any order. */
  async #expire(): Promise<void> {
    const { port } = this.#world;
    for (const item of await itemsOf(port, table)) {
      const { par, num, ttl } = item;
      if (par === undefined || num === undefined || ttl === undefined || this.#random.chance(0.5)) continue;
      await port.deleteItem({ TableName: table, Key: { par, num } });
    }
  }
}

function textOf({
  sequenceNr,
  payload,
}: {
  readonly sequenceNr: number;
  readonly payload: unknown;
}): ReplayedText {
  return { sequenceNr, text: String(payload) };
}

describe("both sides in turn", () => {
  test.each(["optimistic", "strict"] as const)(
    "read what either appended, and use no number twice (%s)",
    async (fencing) => {
      for (let seed = 1; seed <= 12 * scale; seed++) {
        await using world = await sharedWorld({ fencing });
        const walk = new Walk(seed, world);
        await walk.run().catch((error: unknown) => {
          throw new Error(`seed ${seed}: ${String(error)}\n${walk.trace.join("\n")}`, { cause: error });
        });
      }
    },
  );
});
