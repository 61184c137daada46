import { randomBytes } from "node:crypto";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const length = 52;
let stock: Buffer = Buffer.alloc(0);

/** An id of the form that DynamoDB gives its answers. Random, and cheap: bytes are drawn for many ids at once. */
export function requestId(): string {
  if (stock.length < length) stock = randomBytes(length * 256);
  let id = "";
  for (let at = 0; at < length; at++) id += alphabet.charAt((stock[at] as number) % alphabet.length);
  stock = stock.subarray(length);
  return id;
}
