import { beforeAll, describe, expect, test } from "vitest";
import type { Mail, MailhogMessage } from "../src/index.ts";
import { readItem } from "../src/layouts/mhdynamo/read-message-item.ts";
import { writeItem } from "../src/layouts/mhdynamo/write-item.ts";
import { mailhogMessage } from "../src/mailhog/mailhog-message.ts";
import { expected, inputOf, items, mailOnFixture } from "./mhdynamo-fixture.ts";

/** Empty headers came back to the Go package as null; a client of MailHog's needs an object. */
function withHeaders(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (key, each) => (key === "Headers" && each === null ? {} : each));
}

/** The moment of the original's run, which is in one header only. */
function withoutRunTime(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value).replaceAll(/; \w{3}, \d\d \w{3} \d{4} [\d:]{8} [+-]\d{4}/g, "; then"),
  );
}

const stored = expected.store.filter(({ storageId, storeError }) => storeError === null && storageId);

describe("a table of the Go package", () => {
  let mail: Mail;
  beforeAll(async () => {
    ({ mail } = await mailOnFixture());
  });

  test("is listed as by the original, including the day that it omitted", async () => {
    const { count, lists } = expected.beforeDelete;
    const there = new Set(items.map((item) => item["ID"]?.S ?? ""));
    const oldest = items[0]?.["ID"]?.S ?? "";
    // One was deleted before the table was dumped.
    const all = [...(lists[0]?.ids ?? []), oldest].filter((id) => there.has(id));
    expect(all).toHaveLength(count - 1);
    for (const { start, limit } of lists) {
      const page = await mail.list({ start, limit });
      expect(page.items.map(({ id }) => id)).toEqual(all.slice(start, start + limit));
    }
    expect(await mail.count()).toBe(count - 1);
  });

  test.each(Object.entries(expected.loaded))("returns message %s as the original did", async (id, loaded) => {
    expect(withHeaders((await mail.load(id))?.mailhog())).toEqual(withHeaders(loaded));
  });

  test("can be searched, which the original could not", async () => {
    const total = async (kind: "from" | "to" | "containing" | "text", query: string) =>
      (await mail.search({ kind, query }, { total: true })).total;
    const messages = Object.values(expected.loaded) as MailhogMessage[];
    const fromAlice = messages.filter(({ From, Content }) =>
      `${From.Mailbox}@${From.Domain}\n${Content.Headers?.["From"]?.join("\n")}`.includes("alice@"),
    );
    expect(await total("from", "ALICE@")).toBe(fromAlice.length);
    const boundary = messages.filter((each) =>
      [each.Content.Body, ...Object.values(each.Content.Headers ?? {}).flat()].some((text) =>
        text.toLowerCase().includes("boundary"),
      ),
    );
    expect(await total("containing", "boundary")).toBe(boundary.length);
    expect(await total("to", "søren@")).toBe(1);
  });

  test("is emptied, including the oldest day", async () => {
    const { mail: another, port } = await mailOnFixture();
    expect(await another.deleteAll()).toBe(items.length);
    expect((await port.scan({ TableName: "mailhog" })).Items).toEqual([]);
  });
});

describe("items that we write in that layout", () => {
  test.each(stored.map(({ file, storageId }) => [file, storageId ?? ""]))(
    "equal those of the original for %s",
    (file, id) => {
      const original = items.find((item) => item["ID"]?.S === id);
      // One was deleted before the table was dumped.
      if (original === undefined) return expect(file).toBe("11-lower-case-type.eml");
      const { envelope, raw } = inputOf(file);
      const message = {
        ...mailhogMessage({ id: id.slice(20), envelope, raw, created: 0, hostname: expected.hostname }),
        Created: original["Msg"]?.M?.["Created"]?.S ?? "",
      };
      const partition = original["CreatedDate"]?.S ?? "";
      const expires = Number(original["Expires"]?.N);
      const item = writeItem({ id, partition, expires, message, bytes: undefined });
      expect(withoutRunTime(item)).toEqual(withoutRunTime(original));
    },
  );

  test.each([
    "91-empty-header-name.eml",
    "92-nested-10.eml",
    "93-null-sender.eml",
    "94-latin1.eml",
    "17-no-data.eml",
  ])("contain %s, byte for byte", async (file) => {
    const { mail, port } = await mailOnFixture();
    const { envelope, raw } = inputOf(file);
    const { id } = await mail.store(envelope, raw);
    const message = await mail.load(id);
    expect(Buffer.from(message?.raw ?? [])).toEqual(raw);
    const { Item } = await port.getItem({
      TableName: "mailhog",
      Key: { CreatedDate: { S: "2026-03-10" }, ID: { S: id } },
    });
    expect(readItem(Item ?? {}, "day")?.mailhog().Raw.From).toBe(envelope.from);
  });

  test("restore the parts of a message that do not fit into its item", async () => {
    const { mail } = await mailOnFixture();
    const { envelope, raw } = inputOf("92-nested-10.eml");
    const message = (await mail.load((await mail.store(envelope, raw)).id))?.mailhog();
    expect(message?.MIME?.Parts).toEqual(
      mailhogMessage({ id: "", envelope, raw, created: 0, hostname: "" }).MIME?.Parts,
    );
  });

  test("reject permanently a message that does not fit into one item", async () => {
    const { mail } = await mailOnFixture();
    const { envelope, raw } = inputOf("90-300kb.eml");
    await expect(mail.store(envelope, raw)).rejects.toMatchObject({
      code: "MAIL_MESSAGE_TOO_LARGE",
      retryable: false,
    });
    expect(await mail.count()).toBe(items.length);
  });
});
