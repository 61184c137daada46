import type { Item } from "@tablekeep/core";
import type { Operation } from "./operations.ts";
import {
  type Change,
  keyOf,
  putChange,
  type Scenario,
  type SentRequest,
  type TableShape,
} from "./request-cost.ts";

/** Akka Persistence DynamoDB 2.0, with the tables of its own script: its items, and its requests in their order. */

const journal: TableShape = {
  name: "event_journal",
  keys: [
    ["pid", "S"],
    ["seq_nr", "N"],
  ],
  index: {
    name: "event_journal_slice_idx",
    kind: "global",
    keys: ["entity_type_slice", "ts"],
    rangeType: "N",
  },
};
const snapshots: TableShape = {
  name: "snapshot",
  keys: [["pid", "S"]],
  index: {
    name: "snapshot_slice_idx",
    kind: "global",
    keys: ["entity_type_slice", "event_timestamp"],
    rangeType: "N",
  },
};
const id = "Account|account-1";
const slice = "Account-417";
const pageEvents = 100;
const transactionItems = 100;

function event(seq: number, bytes: number): Item {
  return {
    pid: { S: id },
    seq_nr: { N: String(seq) },
    entity_type_slice: { S: slice },
    ts: { N: String(1_700_000_000_000_000 + seq) },
    event_ser_id: { N: "33" },
    event_ser_manifest: { S: "bank.Deposited" },
    event_payload: { B: new Uint8Array(bytes) },
    writer: { S: "295fa116-fa95-4f5b-af96-80d9861a898d" },
  };
}

const events = (first: number, last: number, bytes: number) =>
  Array.from({ length: last - first + 1 }, (_unused, at) => event(first + at, bytes));

function snapshot(seq: number, bytes: number): Item {
  return {
    pid: { S: id },
    seq_nr: { N: String(seq) },
    entity_type_slice: { S: slice },
    write_timestamp: { N: "1700000000000" },
    event_timestamp: { N: String(1_700_000_000_000_000 + seq) },
    snapshot_ser_id: { N: "33" },
    snapshot_ser_manifest: { S: "bank.Account" },
    snapshot_payload: { B: new Uint8Array(bytes) },
  };
}

/** A put, or one transaction of puts, which cannot have more than 100. */
function write(first: number, count: number, bytes: number): SentRequest[] {
  const changes = events(first, first + count - 1, bytes).map((item) => putChange(journal, item));
  return [{ operation: count === 1 ? "PutItem" : "TransactWriteItems", changes }];
}

function queryEvents(from: number, items: readonly Item[]): SentRequest {
  return {
    operation: "Query",
    table: journal,
    input: {
      KeyConditionExpression: "pid = :pid AND seq_nr BETWEEN :from AND :to",
      FilterExpression: "attribute_not_exists(expiry) OR expiry > :now",
      ExpressionAttributeValues: {
        ":pid": { S: id },
        ":from": { N: String(from) },
        ":to": { N: "9223372036854775807" },
        ":now": { N: "1700000000" },
      },
      Limit: pageEvents,
    },
    items,
  };
}

/** Reads the one snapshot, then the events after it. The last of them is the highest number. */
function recover(stored: readonly Item[], from: number, state: readonly Item[] = []): SentRequest[] {
  const querySnapshot: SentRequest = {
    operation: "Query",
    table: snapshots,
    input: { KeyConditionExpression: "pid = :pid", ExpressionAttributeValues: { ":pid": { S: id } } },
    items: state,
  };
  return [querySnapshot, queryEvents(from, stored.slice(from - 1))];
}

/** Deletes 120 events in transactions of 100; the last becomes a tombstone, which stays in the index. */
function deletePrefix(stored: readonly Item[]): SentRequest[] {
  const readLowest: SentRequest = {
    operation: "Query",
    table: journal,
    input: {
      KeyConditionExpression: "pid = :pid",
      ExpressionAttributeValues: { ":pid": { S: id } },
      ProjectionExpression: "seq_nr",
      Limit: 1,
    },
    items: stored.slice(0, 1),
  };
  const deleted = stored.slice(0, 120).map((before, at): Change => {
    const { pid, seq_nr, entity_type_slice, ts } = before;
    const tombstone = { pid, seq_nr, entity_type_slice, ts, del: { BOOL: true } } as Item;
    return { table: journal, key: keyOf(journal, before), before, ...(at === 119 && { after: tombstone }) };
  });
  const transactions = [deleted.slice(0, transactionItems), deleted.slice(transactionItems)];
  return [
    readLowest,
    ...transactions.map((changes): SentRequest => ({ operation: "TransactWriteItems", changes })),
  ];
}

const inJournal = (items: readonly Item[]) => items.map((item) => [journal, item] as const);

const fifty = events(1, 50, 1000);
const sixty = events(1, 60, 1000);
const many = events(1, 180, 100);
const state = snapshot(50, 1000);

/** The tables of Akka 2. */
export const akka2Tables: readonly TableShape[] = [journal, snapshots];

/** What Akka 2 sends for every operation of the comparison. It cannot write more than 100 events atomically. */
export const akka2Requests: Readonly<Record<Operation, Scenario | undefined>> = {
  "open a fresh id": { stored: [], requests: recover([], 1) },
  "append the first event": { stored: [], requests: write(1, 1, 100) },
  "append one event of 100 B": { stored: [], requests: write(2, 1, 100) },
  "append 10 × 100 B atomically": { stored: [], requests: write(3, 10, 100) },
  "append 100 × 1 KB atomically": { stored: [], requests: write(13, 100, 1000) },
  "append 250 × 1 KB atomically": undefined,
  "load 50 × 1 KB, written one at a time": { stored: inJournal(fifty), requests: recover(fifty, 1) },
  "load 50 × 1 KB, written in tens": { stored: inJournal(fifty), requests: recover(fifty, 1) },
  "load a snapshot of 1 KB and 10 × 1 KB after it": {
    stored: [...inJournal(sixty), [snapshots, state]],
    requests: recover(sixty, 51, [state]),
  },
  "save a snapshot of 1 KB": {
    stored: [],
    requests: [{ operation: "PutItem", changes: [putChange(snapshots, state)] }],
  },
  "delete 120 of 180 events": { stored: inJournal(many), requests: deletePrefix(many) },
};

/** The sizes that the costs follow from. */
export const akka2Items = { small: event(2, 100), large: event(2, 1000), state };
