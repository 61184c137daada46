import { createHash } from "node:crypto";
import { invalid } from "../item/refuse.ts";
import type { WireItem } from "../item/wire-value.ts";

/** Where the next page of a SELECT begins. */
export interface PagePlace {
  /** Which of the ranges of its plan. */
  readonly range: number;
  /** The keys of the last entry that was read of it; absent if none was. */
  readonly after?: WireItem | undefined;
}

/** What a token belongs to: the same statement with the same parameters, word for word. */
export function tokenOwner(statement: string, parameters: readonly unknown[]): string {
  return createHash("sha256")
    .update(JSON.stringify([statement, parameters]))
    .digest("base64")
    .slice(0, 22);
}

/** A page's end as a token for the next. */
export function writeToken(owner: string, place: PagePlace): string {
  return Buffer.from(JSON.stringify({ owner, ...place })).toString("base64");
}

/** Reads a token that came from outside. What it names is not checked further. */
export function readToken(owner: string, token: string): PagePlace {
  const place = parsed(token);
  if (place?.["owner"] !== owner || !Number.isSafeInteger(place["range"])) throw invalidToken();
  return { range: place["range"] as number, after: place["after"] as WireItem | undefined };
}

/** DynamoDB's refusal of a token that it did not give, or not for this statement. */
export function invalidToken(): Error {
  return invalid("Invalid NextToken");
}

function parsed(token: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(token, "base64").toString("utf8"));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
