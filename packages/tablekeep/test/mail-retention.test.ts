/** Retention by number, with two servers on one table. */
import { connect } from "@tablekeep/client";
import { createTransport } from "nodemailer";
import { expect, onTestFinished, test } from "vitest";
import type { ServerOptions } from "../src/server/options/server-options.ts";
import { startServer } from "../src/server/start-server.ts";

const quiet = { httpPort: 0, smtpPort: 0, mqtt: false, shadows: false, journals: [] } as const;

async function start(options: ServerOptions) {
  const server = await startServer({ ...quiet, ...options });
  onTestFinished(() => server.stop());
  const urlOf = (name: string) => server.listeners.find((each) => each.name === name)?.url ?? "";
  return { http: urlOf("http"), smtp: new URL(urlOf("smtp") || "smtp://localhost:1"), urlOf };
}

const most = 250;

/** The ids and subjects of all messages, newest first, page by page. */
async function listed(http: string): Promise<{ readonly id: string; readonly subject: string }[]> {
  const found: { id: string; subject: string }[] = [];
  let cursor = "";
  do {
    const page = await (await fetch(`${http}api/v3/mail/messages?limit=100&cursor=${cursor}`)).json();
    const { messages, next = "" } = page as { messages: typeof found; next?: string };
    found.push(...messages);
    cursor = next;
  } while (cursor !== "");
  return found;
}

test("two servers that delete the oldest messages keep exactly the newest, and none comes back", async () => {
  const engine = await start({ memory: true, dynamodbPort: 0, mail: false });
  const port = connect({
    endpoint: engine.urlOf("dynamodb"),
    region: "local",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  });
  onTestFinished(() => port.close());
  const shared = { port, createTables: true, mail: { store: { maxMessages: most } } } as const;
  const servers = [await start(shared), await start(shared)];
  const sent: string[] = [];
  let least = Number.POSITIVE_INFINITY;
  const gone = new Set<string>();
  let before = new Set<string>();
  /** Reads the list of a server, and checks it against those that were read before. */
  const observe = async (http: string) => {
    const ids = new Set((await listed(http)).map(({ id }) => id));
    for (const id of before) if (!ids.has(id)) gone.add(id);
    expect([...ids].filter((id) => gone.has(id))).toEqual([]);
    if (sent.length >= most) least = Math.min(least, ids.size);
    before = ids;
  };
  for (let round = 0; round < 8; round++) {
    await Promise.all(
      servers.map(async ({ smtp }, at) => {
        const transport = createTransport({
          pool: true,
          maxConnections: 4,
          host: smtp.hostname,
          port: Number(smtp.port),
          ignoreTLS: true,
        });
        const subjects = Array.from({ length: 50 }, (_, n) => `${round}-${at}-${n}`);
        await Promise.all(
          subjects.map((subject) =>
            transport.sendMail({ from: "a@example.org", to: "b@example.org", subject, text: subject }),
          ),
        );
        sent.push(...subjects);
        transport.close();
      }),
    );
    for (const { http } of servers) await observe(http);
  }
  for (const { http } of servers) await expect.poll(async () => (await listed(http)).length).toBe(most);
  expect(least).toBeGreaterThanOrEqual(most);
  const [one, other] = await Promise.all(servers.map(({ http }) => listed(http)));
  expect(other).toEqual(one);
  // The newest are those of the last rounds.
  const rounds = new Set(one?.map(({ subject }) => subject.split("-")[0]));
  expect([...rounds].sort()).toEqual(["5", "6", "7"]);
  await observe(servers[0]?.http ?? "");
});
