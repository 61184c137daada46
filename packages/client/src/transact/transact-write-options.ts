import {
  type Item,
  type Logger,
  type OptionChecks,
  optionCheck,
  type TransactWriteItemsOutput,
} from "@tablekeep/core";
import { type KeyNames, keyNamesByTable } from "../base/key-names.ts";
import { type OperationOptions, operationOptionChecks } from "../retry/operation.ts";
import type { Attribution } from "../write/settle-write.ts";

/** How to recognize a transaction by the items that it wrote. */
export interface TransactWriteId {
  /** The attribute that holds the write id. */
  readonly attribute: string;
  /** The write id. @default a fresh one */
  readonly id?: string;
  /** Positions of the puts and updates that carry it. @default every put */
  readonly on?: readonly number[];
  /** The key attributes of each table with a put that carries it. */
  readonly keyNames: Readonly<Record<string, KeyNames>>;
  /**
   * Whether the items that carry the id and are put under `attribute_not_exists` are never overwritten: then an existing
   * item of another write proves that this transaction was not applied. @default false
   */
  readonly insertOnly?: boolean;
}

/** Options of {@link transactWrite}. */
export interface TransactWriteOptions extends OperationOptions {
  /** The idempotency token, 1 to 36 characters; never one that is older than 10 minutes. @default a fresh one */
  readonly token?: string;
  /** How to recognize this transaction after a lost response. Without it, such an outcome stays `unknown`. @default none */
  readonly writeId?: TransactWriteId;
  /** Decides after a lost response whose write an item shows, where the write id does not; `action` is its position. */
  readonly attribution?: (current: Item | undefined, action: number) => Attribution;
  /** Receives an error when a token is reused for another transaction. @default none */
  readonly logger?: Logger;
}

/** The checks of {@link TransactWriteOptions}. */
export const transactWriteOptionChecks: OptionChecks<TransactWriteOptions> = {
  ...operationOptionChecks,
  token: (value) =>
    typeof value === "string" && value.length >= 1 && value.length <= 36
      ? undefined
      : "must be a string of 1 to 36 characters",
  writeId: (value) =>
    typeof value === "object" && value !== null && "attribute" in value && "keyNames" in value
      ? keyNamesByTable(value.keyNames)
      : "must have attribute and keyNames",
  attribution: optionCheck.callback,
  logger: optionCheck.logger,
};

/** A transaction that is applied. */
export interface TransactWriteResult {
  readonly token: string;
  /** Undefined if the transaction carries none. */
  readonly writeId?: string;
  /** DynamoDB's response; undefined when it was lost and the transaction was found applied. */
  readonly output?: TransactWriteItemsOutput;
}
