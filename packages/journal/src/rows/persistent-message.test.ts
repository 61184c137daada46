import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { comparable } from "../../test/comparable.ts";
import { MalformedBytes } from "../codecs/bytes.ts";
import type { EncodedPayload } from "../codecs/codec.ts";
import { decodePersistentMessage, encodePersistentMessage } from "./persistent-message.ts";

const bytes = (...parts: string[]) => Buffer.from(parts.join("").replaceAll(" ", ""), "hex");
const ascii = (text: string) => Buffer.from(text).toString("hex");
const payload: EncodedPayload = { serializerId: 20, manifest: "", bytes: Buffer.from("a") };
const hexOf = (message: Parameters<typeof encodePersistentMessage>[0]) =>
  Buffer.from(encodePersistentMessage(message)).toString("hex");

// The plugin's own fixture of its old format.
const golden = bytes(
  "0a11 0801 120d aced0005 7400 06 612d30303031",
  "1001",
  `1a0f ${ascii("OldFormatEvents")}`,
  `6a24 ${ascii("295fa116-fa95-4f5b-af96-80d9861a898d")}`,
);

describe("a PersistentMessage", () => {
  test("of the original is read and written to the byte", () => {
    const message = decodePersistentMessage(golden);
    expect(comparable(message)).toEqual(
      comparable({
        payload: { serializerId: 1, manifest: "", bytes: bytes("aced0005740006612d30303031") },
        sequenceNr: 1n,
        persistenceId: "OldFormatEvents",
        deleted: false,
        confirms: [],
        sender: "",
        manifest: "",
        writerUuid: "295fa116-fa95-4f5b-af96-80d9861a898d",
        timestamp: 0n,
        metadata: undefined,
      }),
    );
    const { payload: read = payload, persistenceId, writerUuid } = message;
    expect(hexOf({ payload: read, sequenceNr: 1, persistenceId, writerUuid })).toBe(golden.toString("hex"));
  });

  test("of Akka 2.3 has the fields deleted, redeliveries and confirmable whatever they are", () => {
    const sender = "akka://fixture/deadLetters";
    const written = hexOf({ payload, sequenceNr: 1, persistenceId: "p", akka23: true, sender });
    expect(written).toBe(`0a050814120161${"1001"}${"1a0170"}${"2000"}${"3000"}${"4000"}5a1a${ascii(sender)}`);
    const confirmed = bytes(
      written,
      "3a03",
      ascii("ch1"),
      "3a03",
      ascii("ch2"),
      "4a0412020102",
      "5203",
      ascii("tgt"),
    );
    expect(decodePersistentMessage(confirmed)).toMatchObject({
      confirms: ["ch1", "ch2"],
      sender,
      deleted: false,
    });
  });

  test("of Akka 2.6 has timestamp and metadata", () => {
    const metadata: EncodedPayload = { serializerId: 20, manifest: "m", bytes: Buffer.from("md") };
    const written = hexOf({
      payload,
      sequenceNr: 300,
      manifest: "v3",
      timestamp: 1_794_709_573_790,
      metadata,
    });
    // The timestamp is zigzag: twice its value.
    expect(written).toBe(
      `0a050814120161${"10ac02"}6202${ascii("v3")}${"70bcc2b6d0bb68"}7a09${"0814"}1202${ascii("md")}1a016d`,
    );
    expect(decodePersistentMessage(Buffer.from(written, "hex"))).toMatchObject({
      sequenceNr: 300n,
      manifest: "v3",
      timestamp: 1_794_709_573_790n,
      metadata: { serializerId: 20, manifest: "m" },
    });
  });

  test("may have a negative serializer id, which takes ten bytes", () => {
    const negative = { ...payload, serializerId: -77 };
    expect(hexOf({ payload: negative, sequenceNr: 1 })).toBe("0a0e08b3ffffffffffffffff01120161" + "1001");
    const read = decodePersistentMessage(encodePersistentMessage({ payload: negative, sequenceNr: 1 }));
    expect(read.payload?.serializerId).toBe(-77);
    expect(decodePersistentMessage(bytes("0a0908b3ffffff0f120161")).payload?.serializerId).toBe(-77);
  });

  test("may have unknown fields of every kind", () => {
    const unknown = bytes("a00101", "a9010102030405060708", "b201026869", "bd0101020304");
    const read = decodePersistentMessage(Buffer.concat([unknown, golden, unknown]));
    expect(read).toEqual(decodePersistentMessage(golden));
  });

  test("holds 64 bits of a sequence number", () => {
    expect(decodePersistentMessage(bytes("10ffffffffffffffff7f")).sequenceNr).toBe(2n ** 63n - 1n);
    expect(decodePersistentMessage(bytes("10ffffffffffffffffff01")).sequenceNr).toBe(-1n);
    expect(decodePersistentMessage(bytes("")).sequenceNr).toBeUndefined();
  });

  test("is returned unchanged", () => {
    const texts = fc.string({ unit: "grapheme" });
    const payloads = fc.record({
      serializerId: fc.integer(),
      manifest: texts,
      bytes: fc.uint8Array({ maxLength: 300 }),
    });
    const messages = fc.record({
      payload: payloads,
      sequenceNr: fc.maxSafeNat(),
      persistenceId: texts,
      deleted: fc.boolean(),
      akka23: fc.boolean(),
      sender: texts,
      manifest: texts,
      writerUuid: texts,
      timestamp: fc.maxSafeNat(),
      metadata: fc.option(payloads, { nil: undefined }),
    });
    fc.assert(
      fc.property(messages, ({ akka23, ...message }) => {
        const read = decodePersistentMessage(encodePersistentMessage({ akka23, ...message }));
        const { sequenceNr, timestamp } = message;
        expect(comparable(read)).toEqual(
          comparable({
            ...message,
            sequenceNr: BigInt(sequenceNr),
            timestamp: BigInt(timestamp),
            confirms: [],
          }),
        );
      }),
    );
  });

  test.each([
    "0a", // no length
    "0a0501", // cut
    "0a020814", // a payload without bytes
    "0a03120161", // a payload without a serializer
    "1a01ff", // no UTF-8
    "1201", // a number as text
    "0801", // text as a number
    "0301", // a group
    "00", // field 0
    "10ffffffffffffffffffff01", // eleven bytes of a number
    "1affffffffffffffffff01", // a length beyond everything
  ])("rejects %s", (hex) => {
    expect(() => decodePersistentMessage(bytes(hex))).toThrow(MalformedBytes);
  });
});
