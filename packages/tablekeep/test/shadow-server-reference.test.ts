import { systemClock } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { openRollouts, openShadowManager, parseShadowTopic } from "@tablekeep/shadow";
import { expect, test } from "vitest";
import { mqttLimits } from "../src/server/mqtt/protocol/mqtt-limits.ts";
import type { ShadowRule } from "../src/server/setting-files/shadow-rules.ts";
import { type DataPlane, dataPlaneGroup } from "../src/server/shadow/data-plane-routes.ts";
import { rolloutRoutes } from "../src/server/shadow/rollout-routes.ts";
import { ruleRoutes } from "../src/server/shadow/rules/rule-routes.ts";
import type { RunningRules } from "../src/server/shadow/rules/run-rules.ts";
import { shadowRoutes } from "../src/server/shadow/shadow-routes.ts";
import { awsTopics } from "../src/server/shadow/topic-rules.ts";
import { readDocs, sectionOf, tableRows } from "./read-docs.ts";
import { servedOperations } from "./served-operations.ts";

const page = readDocs("docs/reference/shadow-server.md");
const rowsOf = (heading: string) => tableRows(sectionOf(page, heading));

test("the page lists every request of the data plane", () => {
  const { routes } = dataPlaneGroup({} as DataPlane);
  const listed = rowsOf("## AWS IoT's data plane").map(([request = ""]) => request.replace(/\?.*/, ""));
  expect(listed.toSorted()).toEqual(servedOperations(routes));
});

test("the page lists every topic and its publisher", () => {
  const answers = ["", "/accepted", "/rejected", "/delta", "/documents"];
  const all = ["get", "update", "delete"].flatMap((action) => answers.map((answer) => `${action}${answer}`));
  for (const shadow of ["$aws/things/t/shadow", "$aws/things/t/shadow/name/n"]) {
    const known = all.filter((end) => parseShadowTopic(`${shadow}/${end}`) !== undefined);
    const served = known.map((end) => [
      `$shadow/${end}`,
      awsTopics({ answer: async () => [] }).ruleOf(`${shadow}/${end}`).kind === "request"
        ? "a client"
        : "the server",
    ]);
    const listed = rowsOf("## Topics").map(([topic, who]) => [topic, who]);
    expect(listed.toSorted()).toEqual(served.toSorted());
  }
});

test("the page lists every limit of MQTT", () => {
  const listed = rowsOf("## Limits").map(([name, value = ""]) => [name, Number(value.replaceAll(",", ""))]);
  expect(Object.fromEntries(listed)).toEqual(mqttLimits);
});

test("the page lists every request of our own API", async () => {
  const engine = await openEngine({ storage: { kind: "memory" } });
  const manager = openShadowManager(engine);
  const rules = { rules: [] as readonly ShadowRule[] } as RunningRules;
  const served = servedOperations([
    ...shadowRoutes(manager, systemClock, manager),
    ...rolloutRoutes({ rollouts: openRollouts(engine, manager), onChanged: () => {} }),
    ...ruleRoutes(rules),
  ]);
  await engine.close();
  const listed = rowsOf("## HTTP API").map(([request]) => request);
  expect(listed.toSorted()).toEqual(served);
});
