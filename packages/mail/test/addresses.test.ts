import { type DynamoPort, wrapPort } from "@tablekeep/core";
import { fakeClock } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import { type Mail, openMail } from "../src/index.ts";
import { envelope, finds, letter, subjectsOf } from "../src/testing/mail-case.ts";
import { engineWithMail } from "./engine-mail.ts";
import { itemsOf, makeBlocks } from "./signature-block-steps.ts";

const hourMs = 3_600_000;
const bob = { kind: "recipient", query: "Bob@example.com" } as const;

/** The same engine as a remote service, which has no atomic batches: messages are stored as on DynamoDB. */
function remote(engine: DynamoPort): DynamoPort {
  return wrapPort(engine, (operation, input, options, next) => next(operation, input, options));
}

/** Stores on one table: `embedded` stores messages without items of addresses, and `plain` with them. */
async function twoForms(settings: { readonly ttlDays?: number } = {}) {
  const clock = fakeClock({ startAt: Date.UTC(2050, 0, 1, 9) });
  const engine = await engineWithMail({ clock });
  const embedded = await openMail(engine, { clock });
  const plain = await openMail(remote(engine), { clock, ...settings });
  /** Instances that have stored nothing, and read everything from the table. */
  const readers = async () => [
    await openMail(engine, { clock }),
    await openMail(remote(engine), { clock }),
    embedded,
    plain,
  ];
  return { clock, engine, embedded, plain, readers };
}

async function partitions(port: DynamoPort, kind: string): Promise<string[]> {
  return (await itemsOf(port, `${kind}#`)).map(({ pk }) => pk?.S ?? "");
}

const others = { ...envelope, from: "eve@example.org", to: ["zoe@example.com"] };
const toZoe = (subject: string) =>
  Buffer.from(
    `From: eve@example.org\r\nTo: zoe@example.com\r\nSubject: ${subject}\r\n\r\nfor bob@example.com\r\n`,
  );

describe("a search for a whole address", () => {
  test("finds messages with and without items of addresses, in one hour and in several", async () => {
    const { clock, embedded, plain, readers } = await twoForms();
    const stores: Mail[] = [plain, plain, embedded, plain, embedded, embedded];
    for (const [at, mail] of stores.entries()) {
      await mail.store(envelope, letter(String(at)));
      // Mentions the address, and is not from or to it.
      await mail.store(others, toZoe(`other ${at}`));
      await clock.advance(at % 2 === 0 ? 1000 : hourMs);
    }
    for (const mail of await readers()) {
      await finds(mail, bob, ["5", "4", "3", "2", "1", "0"]);
      await finds(mail, { kind: "sender", query: "ann@example.org" }, ["5", "4", "3", "2", "1", "0"]);
      await finds(mail, { kind: "sender", query: "bob@example.com" }, []);
      const first = await mail.search(bob, { limit: 4 });
      const second = await mail.search(bob, { cursor: first.next ?? "" });
      expect(subjectsOf([...first.items, ...second.items])).toEqual(["5", "4", "3", "2", "1", "0"]);
    }
  });

  test("finds messages once their blocks of signatures have been made", async () => {
    const { clock, engine, embedded, plain, readers } = await twoForms();
    for (let at = 0; at < 4; at++) await embedded.store(envelope, letter(String(at)));
    for (let at = 0; at < 40; at++) await embedded.store(others, toZoe("other"));
    await clock.advance(1);
    await plain.store(envelope, letter("4"));
    await clock.advance(3 * hourMs);
    await makeBlocks(engine, clock);
    for (const mail of await readers()) await finds(mail, bob, ["4", "3", "2", "1", "0"]);
  });

  test("finds an address that is not in the bytes as it is, and one that is too short for signatures", async () => {
    const { embedded, plain, readers } = await twoForms();
    const encoded = Buffer.from(
      "From: =?utf-8?q?J=C3=B6rg=40EXAMPLE=2Eorg?=\r\nSubject: encoded\r\n\r\nHello\r\n",
    );
    for (const mail of [embedded, plain]) {
      await mail.store({ ...envelope, from: "", to: ["x"] }, encoded);
    }
    await embedded.store({ ...envelope, to: ["<σοφός@example.org"] }, letter("sigma"));
    for (const mail of await readers()) {
      await finds(mail, { kind: "sender", query: "jörg@example.org" }, ["encoded", "encoded"]);
      await finds(mail, { kind: "recipient", query: "x" }, ["encoded", "encoded"]);
      await finds(mail, { kind: "recipient", query: "<ΣΟΦΌς@example.org" }, ["sigma"]);
    }
  });

  test("finds messages in an hour that another instance has entered for a longer time", async () => {
    const { clock, embedded, plain, readers } = await twoForms({ ttlDays: 60 });
    await plain.store(envelope, letter("long"));
    await clock.advance(1);
    await embedded.store(envelope, letter("short"));
    for (const mail of await readers()) await finds(mail, bob, ["short", "long"]);
  });

  test("deletes what it finds, completely", async () => {
    const { engine, embedded, plain } = await twoForms();
    for (const mail of [embedded, plain, embedded]) await mail.store(envelope, letter("bye"));
    expect(await partitions(engine, "a")).toHaveLength(2);
    expect(await embedded.deleteMany(bob)).toBe(3);
    for (const mail of [embedded, plain]) {
      await finds(mail, bob, []);
      await mail.close();
    }
    for (const kind of ["a", "b", "s", "m"]) expect(await partitions(engine, kind), kind).toEqual([]);
  });
});

test("on an embedded engine, bodies share partitions and addresses have no items", async () => {
  const { engine, embedded } = await twoForms();
  for (let at = 0; at < 70; at++) await embedded.store(envelope, letter(String(at)));
  expect(await partitions(engine, "a")).toEqual([]);
  const bodies = await partitions(engine, "b");
  expect(bodies).toHaveLength(70);
  expect(new Set(bodies).size).toBe(2);
  const [newest] = (await embedded.list()).items;
  const { raw = new Uint8Array() } = (await embedded.load(newest?.id ?? "")) ?? {};
  expect(Buffer.from(raw).toString()).toBe(letter("69").toString());
});
