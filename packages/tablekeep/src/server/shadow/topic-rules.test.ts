import { expect, test } from "vitest";
import { awsTopics, fullAccess, thingAccess } from "./topic-rules.ts";

interface User {
  readonly thing?: string;
}
const accessOf = ({ thing }: User) => (thing === undefined ? fullAccess : thingAccess(thing));
const maySubscribe = (filter: string, user: User) => accessOf(user).maySubscribe(filter);
const publishRule = (topic: string, user: User) =>
  accessOf(user).mayPublish(topic) ? awsTopics({ answer: async () => [] }).ruleOf(topic) : { kind: "reject" };

const odd = ["+", "#", "a/b", "", "lamp/shadow", "$aws", "lamp/#", "../lamp", "lamp\0", "ü"];

test("a user whose name cannot be a thing's reaches no thing", () => {
  for (const thing of odd) {
    for (const filter of ["#", "+", "$aws/#", "$aws/things/+/shadow/#", `$aws/things/${thing}/shadow/#`])
      expect([thing, filter, maySubscribe(filter, { thing })]).toEqual([thing, filter, false]);
    for (const topic of ["$aws/things/lamp/shadow/get", `$aws/things/${thing}/shadow/get`, "plain"])
      expect([thing, topic, publishRule(topic, { thing }).kind]).toEqual([thing, topic, "reject"]);
  }
});

test("a user with a thing reaches all of it, and nothing else", () => {
  const user = { thing: "lamp" };
  for (const filter of [
    "$aws/things/lamp/shadow/#",
    "$aws/things/lamp/jobs/notify",
    "$aws/things/lamp/+/get/+",
  ])
    expect(maySubscribe(filter, user)).toBe(true);
  for (const filter of [
    "#",
    "plain",
    "$aws/things/+/shadow/#",
    "$aws/things/lamp2/shadow/#",
    "$aws/things/lamp",
  ])
    expect(maySubscribe(filter, user)).toBe(false);
  expect(publishRule("$aws/things/lamp/shadow/update", user).kind).toBe("request");
  expect(publishRule("$aws/things/lamp/jobs/get", user).kind).toBe("request");
  expect(publishRule("$aws/things/lamp/defender/metrics/json", user).kind).toBe("ignore");
  expect(publishRule("$aws/things/other/shadow/update", user).kind).toBe("reject");
  expect(publishRule("$aws/things/other/jobs/get", user).kind).toBe("reject");
});

test("no client may publish responses or to the server's own topics; other AWS services are ignored", () => {
  for (const topic of [
    "$SYS/x",
    "$share/a/b",
    "$aws/things/t/shadow/update/accepted",
    "$aws/things/t/shadow/x",
  ])
    expect([topic, publishRule(topic, {}).kind]).toEqual([topic, "reject"]);
  for (const topic of ["$aws/things/x/jobs/get/accepted", "$aws/rules/r/x", "$aws/certificates/create/json"])
    expect([topic, publishRule(topic, {}).kind]).toEqual([topic, "ignore"]);
  expect(publishRule("plain/topic", {}).kind).toBe("pass");
});

test("requests of Jobs are rejected with a message", async () => {
  const { ruleOf } = awsTopics({ answer: async () => [] }, () => 1_700_000_000_500);
  for (const end of ["get", "start-next", "job-1/get", "job-1/update"]) {
    const rule = ruleOf(`$aws/things/lamp/jobs/${end}`);
    if (rule.kind !== "request") throw new Error("not a request");
    const [answer] = await rule.perform(Buffer.from('{"clientToken":"t"}'));
    expect(answer?.topic).toBe(`$aws/things/lamp/jobs/${end}/rejected`);
    expect(JSON.parse(answer?.payload ?? "")).toMatchObject({
      code: "InvalidRequest",
      clientToken: "t",
      timestamp: 1_700_000_000,
    });
    expect(await rule.perform(Buffer.from("not JSON"))).toHaveLength(1);
  }
});
