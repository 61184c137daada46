import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { serveFor } from "../../../test/serve-on-endpoint.ts";
import { tempFolder } from "../../../test/temp-folder.ts";

test("a file can configure several journals and several shadow stores", async () => {
  const data = tempFolder();
  const config = `${data}.json`;
  writeFileSync(
    config,
    JSON.stringify({
      data,
      dynamodb: false,
      journals: [
        { name: "orders", table: "orders", snapshotTable: "orders-snapshots" },
        { name: "carts", table: "carts", layout: "linear", snapshotTable: "orders-snapshots" },
      ],
      mail: { table: "post", ttlDays: 1 },
      shadows: [
        { name: "lamps", table: "lamps" },
        { name: "doors", table: "doors", policy: "acknowledge" },
      ],
    }),
  );
  await serveFor(["--config", config], async ({ http, storage }) => {
    expect(storage).toBe(data);
    const json = async (path: string, init?: RequestInit) => {
      const answer = await fetch(http + path, init);
      return [answer.status, await answer.json()];
    };
    const [, { journals }] = (await json("api/v3/journals")) as [number, { journals: { name: string }[] }];
    expect(journals.map(({ name }) => name)).toEqual(["orders", "carts"]);
    expect(await json("api/v3/shadow-stores")).toEqual([200, { stores: ["lamps", "doors"] }]);
    const patch = (at: string) => json(at, { method: "PATCH", body: '{"desired":{"on":1}}' });
    expect(await patch("api/v3/shadow-stores/doors/shadows/front")).toMatchObject([200, { version: 1 }]);
    expect((await json("api/v3/shadow-stores/lamps/shadows/front"))[0]).toBe(404);
    expect((await json("api/v3/shadow-stores/none/shadows/front"))[0]).toBe(404);
    // The first store is served on AWS's paths, and on ours without a name.
    await json("things/desk/shadow", { method: "POST", body: '{"state":{"desired":{"on":true}}}' });
    expect((await json("api/v3/shadow-stores/lamps/shadows/desk"))[0]).toBe(200);
    expect((await json("api/v3/shadows/desk"))[0]).toBe(200);
    const [, { paths }] = (await json("api/v3/openapi.json")) as [number, { paths: object }];
    expect(Object.keys(paths)).toContain("/api/v3/shadow-stores/{store}/shadows/{thing}");
    const [, { tables }] = (await json("api/v3/tables")) as [number, { tables: { name: string }[] }];
    expect(JSON.stringify(tables)).toContain("orders-snapshots");
  });
});
