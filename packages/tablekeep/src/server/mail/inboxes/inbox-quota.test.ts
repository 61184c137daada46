import { ensureTable } from "@tablekeep/client";
import { openEngine } from "@tablekeep/engine";
import { mailTableSpec, openMail } from "@tablekeep/mail";
import { expect, onTestFinished, test } from "vitest";
import { inboxQuotas } from "./inbox-quota.ts";

const envelope = { from: "a@example.org", to: ["b@example.org"], helo: "h" };
const raw = Buffer.from("Subject: x\r\n\r\nx\r\n");

test("messages that arrive together do not exceed a quota, and those that are given up do not count", async () => {
  const port = await openEngine({ storage: { kind: "memory" } });
  await ensureTable(port, mailTableSpec());
  const mail = await openMail(port, { inbox: "small" });
  onTestFinished(() => mail.close().then(() => port.close()));
  const quotas = inboxQuotas();
  const admit = () => quotas.admit("small", mail, 5);
  const full = { code: "MAIL_STORE_FULL" };

  const abandoned = await Promise.all(
    Array.from({ length: 5 }, async () => (await admit()).receive(envelope)),
  );
  await expect(admit()).rejects.toMatchObject(full);
  for (const message of abandoned) await message.discard();

  const store = async (at: number) => {
    const admitted = await admit();
    if (at % 2 === 0) return admitted.store(envelope, raw);
    const message = admitted.receive(envelope);
    await message.write(raw);
    return message.finish();
  };
  const results = await Promise.allSettled(Array.from({ length: 20 }, (_, at) => store(at)));
  const rejected = results.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
  for (const reason of rejected) expect(reason).toMatchObject(full);
  expect(20 - rejected.length).toBe(await mail.count());
  expect(await mail.count()).toBeLessThanOrEqual(5);
  while ((await mail.count()) < 5) await store(1);
  await expect(store(1)).rejects.toMatchObject(full);
  const [{ id = "" } = {}] = (await mail.list()).items;
  await mail.deleteOne(id);
  await store(0);
  expect(await mail.count()).toBe(5);
});
