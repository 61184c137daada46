import { describe, expect, test } from "vitest";
import { startServer } from "../../src/server/start-server.ts";
import { tempFolder } from "../temp-folder.ts";
import { freePort } from "./free-port.ts";
import { browserTestMs, openConsole, skipsBrowser } from "./open-console.ts";

describe.skipIf(skipsBrowser)("a server that stops", { timeout: browserTestMs }, () => {
  test("leaves a gap in the changes to a table", async () => {
    const httpPort = await freePort();
    // In a folder the table is there when the page connects again.
    const served = {
      memory: false,
      dataFolder: tempFolder(),
      httpPort,
      mail: false,
      smtp: false,
      shadows: false,
      mqtt: false,
      dynamodb: false,
      journals: [],
    } as const;
    await using other = await openConsole(served);
    const body = JSON.stringify({ name: "things", partitionKey: { name: "id", type: "S" } });
    const headers = { "content-type": "application/json" };
    const tables = `http://127.0.0.1:${httpPort}/api/v3/tables`;
    expect((await fetch(tables, { method: "POST", body, headers })).ok).toBe(true);
    await other.goTo("#/tables/things/changes");
    await other.page.getByRole("status").getByText("Live", { exact: true }).waitFor();
    await other.server.stop();
    await other.page.getByRole("status").getByText("Offline").waitFor();
    await using _back = await startServer(served);
    await other.page.getByRole("listitem").filter({ hasText: "The connection was lost" }).waitFor();
  });
});
