import { openEngine } from "@tablekeep/engine";
import { expect, test } from "vitest";
import { jsonLines, mailStore } from "../../../test/mail-store.ts";

test("intact messages have no findings; damaged and missing bytes have, with exit code 9", async () => {
  const store = mailStore();
  for (const subject of ["A kettle", "Broken cup", "Lost plate"])
    await store.run("put", "--to", "ann@example.org", "--subject", subject, "--create");
  const intact = await store.run("verify");
  expect(intact).toMatchObject({ code: 0, stderr: "" });
  expect(jsonLines(intact.stdout)).toMatchObject([{ summary: { messages: 3, error: 0 } }]);
  const idOf = async (wanted: string) =>
    (await store.list()).find(({ subject }: { subject: string }) => subject === wanted)?.id;
  const ids = [await idOf("Broken cup"), await idOf("Lost plate")];
  {
    await using port = await openEngine({ storage: { kind: "folder", path: store.data } });
    const { Items = [] } = await port.scan({ TableName: "mail" });
    const chunkOf = (subject: string) =>
      Items.find(({ plain }) => Buffer.from(plain?.B ?? "").includes(subject)) ?? {};
    const damaged = { ...chunkOf("Broken cup"), plain: { B: Buffer.from("damaged") } };
    await port.putItem({ TableName: "mail", Item: damaged });
    const { pk = { S: "" }, sk = { S: "" } } = chunkOf("Lost plate");
    await port.deleteItem({ TableName: "mail", Key: { pk, sk } });
  }
  const { code, stdout, stderr } = await store.run("verify");
  expect([code, stderr]).toEqual([9, expect.stringContaining("CLI_MAIL_DAMAGED")]);
  const findings = jsonLines(stdout);
  expect(findings.at(-1)).toMatchObject({ summary: { messages: 3, error: 2 } });
  expect(findings.slice(0, -1)).toMatchObject(
    ids.toReversed().map((id) => ({ kind: "corrupt", severity: "error", id })),
  );
});
