import { createHash } from "node:crypto";
import { expect } from "vitest";
import type { Codec, EncodedPayload } from "../src/codecs/codec.ts";
import type { ListedPayload } from "./akka-fixtures.ts";

const text = {
  encode: (payload: unknown) => Buffer.from(String(payload)),
  decode: (bytes: Uint8Array) => Buffer.from(bytes).toString(),
};

/** The serializers that the writers of the fixtures had registered: the UTF-8 text of a document. */
export const fixtureCodecs: readonly Codec[] = [9001, 9002, 9003, -77].map((id) => ({ id, ...text }));

/** Compares a decoded payload with what the original gave. Classes of the JVM stay bytes. */
export function expectPayload(
  payload: unknown,
  encoded: EncodedPayload,
  listed: ListedPayload,
  manifest = "",
): void {
  expect(encoded).toMatchObject({ serializerId: listed.serializerId, manifest: listed.serializerManifest });
  const { payloadKind: kind, value, serializerId } = listed;
  if (kind === "string" && listed.valueUtf8Sha256 !== undefined) {
    expect(payload).toHaveLength(listed.valueLength ?? -1);
    expect(sha256(payload as string)).toBe(listed.valueUtf8Sha256);
  } else if (kind === "bytes" && listed.valueSha256 !== undefined) {
    expect(payload).toHaveLength(listed.valueLength ?? -1);
    expect(sha256(payload as Uint8Array)).toBe(listed.valueSha256);
  } else if (kind === "string" || kind === "int" || kind === "boolean") expect(payload).toBe(value);
  else if (kind === "long") expect(payload).toBe(BigInt(value as string));
  else if (serializerId === 1) expect(payload).toBe(encoded);
  else if (kind === "bytes" || kind === "bytestring")
    expect(Buffer.from(payload as Uint8Array).toString("base64")).toBe(value);
  else if (kind === "fixture.Domain")
    expect(`${(JSON.parse(payload as string) as { text: string }).text}@${manifest}`).toBe(value);
  else if (kind.startsWith("fixture.Doc$")) expect(payload).toBe((value as { text: string }).text);
  else expect.fail(`payloads of the kind ${kind} cannot be compared`);
}

function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}
