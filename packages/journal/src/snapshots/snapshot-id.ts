import { newWriteId } from "@tablekeep/client";

/**
 * An id that no other save has: 120 bits of a random UUID as a decimal number, so that it can be a sort key (38 digits
 * at most) and a part of a key in which no text of users may appear.
 */
export function newSnapshotId(): string {
  const bytes = Buffer.from(newWriteId(), "base64url").subarray(0, 15);
  return BigInt(`0x${bytes.toString("hex")}`).toString();
}
