import { queryItems } from "@tablekeep/client";
import type { Clock, DynamoPort, Item, Key } from "@tablekeep/core";
import type { RuleEvent } from "./rule-events.ts";

/** A waiting event, without its body. */
export interface QueuedEvent extends Omit<RuleEvent, "rule" | "body"> {
  /** Its place in the queue; places are compared as strings. */
  readonly order: string;
  /** Failed attempts so far. */
  readonly attempts: number;
}

/** A parked event, without its body. */
export interface ParkedRuleEvent extends QueuedEvent {
  readonly error: string;
  /** Milliseconds since 1970. */
  readonly parkedAt: number;
}

/** A parked event, with its body. */
export interface ParkedRuleEventBody extends ParkedRuleEvent {
  readonly body: string;
}

/** The page of parked events to read. */
export interface ParkedPageRequest {
  /** The `next` of the previous page. @default the first page */
  readonly after?: string;
  /** Maximum number of events. */
  readonly limit: number;
}

/** A page of parked events. */
export interface ParkedPage {
  readonly events: readonly ParkedRuleEventBody[];
  /** Where the next page begins; undefined for the last page. */
  readonly next?: string;
}

/** The bodies of a page have at most this many bytes, unless it has a single event. */
const maxPageBytes = 4 * 1024 * 1024;

/** Where the events of a rule are stored. */
export interface RuleItemsOptions {
  readonly port: DynamoPort;
  /** The table of the shadows. */
  readonly table: string;
  /** The name of the rule. */
  readonly rule: string;
  readonly clock: Clock;
}

interface ReadItemsOptions {
  /** Only the events after this place. @default all */
  readonly place?: string;
  readonly limit?: number;
  /** @default false */
  readonly withBodies?: boolean;
}

/** Events that are never removed, such as those of a rule that is no longer in the file, expire after this many seconds. */
const keptSeconds = 30 * 24 * 3600;

/** The events of one rule in the table of the shadows: one item each, in a partition for waiting events and one for parked ones. */
export class RuleItems {
  readonly #options: RuleItemsOptions;

  constructor(options: RuleItemsOptions) {
    this.#options = options;
  }

  /** The waiting events after a place, in order; at most `limit`. */
  async queuedAfter(place: string, limit: number, signal: AbortSignal): Promise<QueuedEvent[]> {
    const found: QueuedEvent[] = [];
    for await (const item of this.#read("queue", signal, { place, limit })) found.push(queuedOf(item));
    return found;
  }

  /** The number of waiting events, and the place of the last one. */
  async extent(signal: AbortSignal): Promise<{ readonly count: number; readonly last: string }> {
    let [count, last] = [0, ""];
    for await (const item of this.#read("queue", signal)) {
      count++;
      last = item["SK"]?.S ?? last;
    }
    return { count, last };
  }

  /** The parked events, oldest first. */
  async parked(signal: AbortSignal): Promise<ParkedRuleEvent[]> {
    const found: ParkedRuleEvent[] = [];
    for await (const item of this.#read("parked", signal)) found.push(parkedOf(item));
    return found;
  }

  /** One page of the parked events, oldest first, with their bodies. */
  async parkedPage({ after, limit }: ParkedPageRequest, signal: AbortSignal): Promise<ParkedPage> {
    const events: ParkedRuleEventBody[] = [];
    let bytes = 0;
    // One more than requested shows whether there is another page.
    const request = { place: after, limit: limit + 1, withBodies: true };
    for await (const item of this.#read("parked", signal, request)) {
      const body = item["Body"]?.S ?? "";
      bytes += Buffer.byteLength(body);
      if (events.length === limit || (events.length > 0 && bytes > maxPageBytes))
        return { events, next: events.at(-1)?.order };
      events.push({ ...parkedOf(item), body });
    }
    return { events };
  }

  /** Returns the body of an event; undefined if it has expired. */
  async body(kind: "queue" | "parked", order: string, signal: AbortSignal): Promise<string | undefined> {
    const { port, table } = this.#options;
    const key = { TableName: table, Key: this.#key(kind, order), ConsistentRead: true };
    return (await port.getItem(key, { signal })).Item?.["Body"]?.S;
  }

  async add(event: QueuedEvent, body: string): Promise<void> {
    await this.#put({ ...this.#key("queue", event.order), ...itemOf(event), Body: { S: body } });
  }

  /** Stores the number of attempts. */
  async failed({ order, attempts }: QueuedEvent): Promise<void> {
    const { port, table } = this.#options;
    await port.updateItem({
      TableName: table,
      Key: this.#key("queue", order),
      UpdateExpression: "SET Attempts = :attempts",
      ConditionExpression: "attribute_exists(PK)",
      ExpressionAttributeValues: { ":attempts": { N: String(attempts) } },
    });
  }

  remove(order: string): Promise<void> {
    return this.#delete(this.#key("queue", order));
  }

  /** Moves an event to the parked ones. After a crash in between it is in both places, and is moved again. */
  async park(event: QueuedEvent, body: string, error: string): Promise<void> {
    const { order } = event;
    const at = { N: String(this.#options.clock.now()) };
    const item = { ...itemOf(event), Body: { S: body }, Error: { S: error }, ParkedAt: at };
    await this.#put({ ...this.#key("parked", order), ...item });
    await this.remove(order);
  }

  removeParked(order: string): Promise<void> {
    return this.#delete(this.#key("parked", order));
  }

  #key(kind: "queue" | "parked", order: string): Key {
    return { PK: { S: `RULES#${kind}#${this.#options.rule}` }, SK: { S: order } };
  }

  #read(
    kind: "queue" | "parked",
    signal: AbortSignal,
    { place, limit, withBodies = false }: ReadItemsOptions = {},
  ): AsyncIterable<Item> {
    const { port, table, clock } = this.#options;
    const isAfter = place !== undefined && place !== "";
    const params = {
      TableName: table,
      KeyConditionExpression: isAfter ? "PK = :partition AND SK > :place" : "PK = :partition",
      ExpressionAttributeValues: {
        ":partition": this.#key(kind, "")["PK"] ?? { S: "" },
        ...(isAfter && { ":place": { S: place } }),
      },
      ConsistentRead: true,
      ...(!withBodies && {
        ProjectionExpression: "PK, SK, EventId, Thing, ShadowName, Version, Attempts, #error, ParkedAt",
        ExpressionAttributeNames: { "#error": "Error" },
      }),
    };
    return queryItems(port, params, { clock, signal, limit });
  }

  async #put(item: Item): Promise<void> {
    const { port, table, clock } = this.#options;
    const expires = { N: String(Math.ceil(clock.now() / 1000) + keptSeconds) };
    await port.putItem({ TableName: table, Item: { ...item, ExpiresAt: expires } });
  }

  async #delete(key: Key): Promise<void> {
    const { port, table } = this.#options;
    await port.deleteItem({ TableName: table, Key: key });
  }
}

function itemOf({ id, thing, name, version, attempts }: QueuedEvent): Item {
  return {
    EventId: { S: id },
    Thing: { S: thing },
    ShadowName: { S: name },
    Version: { N: String(version) },
    Attempts: { N: String(attempts) },
  };
}

function queuedOf(item: Item): QueuedEvent {
  return {
    order: item["SK"]?.S ?? "",
    id: item["EventId"]?.S ?? "",
    thing: item["Thing"]?.S ?? "",
    name: item["ShadowName"]?.S ?? "",
    version: Number(item["Version"]?.N),
    attempts: Number(item["Attempts"]?.N),
  };
}

function parkedOf(item: Item): ParkedRuleEvent {
  const { Error: error, ParkedAt } = item;
  return { ...queuedOf(item), error: error?.S ?? "", parkedAt: Number(ParkedAt?.N) };
}
