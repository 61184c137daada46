import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parsePolicies } from "./iot-policies.ts";

const arn = (resource: string) => `arn:aws:iot:eu-west-1:123456789012:${resource}`;
const variable = (name: string) => `$${`{${name}}`}`;
const statement = (
  Effect: string,
  Action: string | string[],
  Resource: string | string[],
  more: object = {},
) => ({
  Effect,
  Action,
  Resource,
  ...more,
});
const policiesOf = (statements: object[], attachments: object = { "*": "p" }) =>
  parsePolicies(
    JSON.stringify({ policies: { p: { Version: "2012-10-17", Statement: statements } }, attachments }),
    "file",
  );

describe("a policy", () => {
  test("allows what a statement allows, and no statement denies", () => {
    const policies = policiesOf([
      statement("Allow", "iot:Publish", arn("topic/news/*")),
      statement("Allow", ["iot:Get*", "iot:Connect"], "*"),
      statement("Deny", "iot:*", arn("topic/news/secret?")),
    ]);
    const may = policies.rulesOf({});
    expect(may("iot:Publish", "topic/news/a/b")).toBe(true);
    expect(may("iot:publish", "topic/news/a")).toBe(true);
    expect(may("iot:Publish", "topic/news/secret1")).toBe(false);
    expect(may("iot:Publish", "topic/news/secret")).toBe(true);
    expect(may("iot:Publish", "topic/newsx")).toBe(false);
    expect(may("iot:Subscribe", "topic/news/a")).toBe(false);
    expect(may("iot:GetThingShadow", "thing/lamp")).toBe(true);
    // Dots and other characters are literal.
    expect(may("iot:Connect", "client/x")).toBe(true);
  });

  test("may be attached to nobody, and a user may have none", () => {
    const policies = policiesOf([statement("Allow", "iot:*", "*")], { ann: ["p"], bob: [], "*": [] });
    expect(policies.rulesOf({ user: "ann" })("iot:Publish", "topic/a")).toBe(true);
    for (const user of ["bob", "carl", undefined])
      expect(policies.rulesOf({ user })("iot:Publish", "topic/a")).toBe(false);
  });

  test("of the reference is accepted, and applies to its users", () => {
    const page = readFileSync(
      new URL("../../../../../docs/reference/shadow-server.md", import.meta.url),
      "utf8",
    );
    const [, example = ""] = /```json\n(\{\s*"policies".*?)```/s.exec(page) ?? [];
    const policies = parsePolicies(example, "file");
    const lamp = policies.rulesOf({ user: "lamp", clientId: "lamp" });
    expect(lamp("iot:Connect", "client/lamp")).toBe(true);
    expect(lamp("iot:Publish", "topic/$aws/things/lamp/shadow/update")).toBe(true);
    expect(lamp("iot:Publish", "topic/$aws/things/door/shadow/update")).toBe(false);
    expect(policies.rulesOf({ user: "ann" })("iot:DeleteThingShadow", "thing/door")).toBe(true);
    expect(policies.rulesOf({ user: "bob" })("iot:Connect", "client/bob")).toBe(false);
  });

  test("has variables, whose values are never patterns", () => {
    const policies = policiesOf([
      statement("Allow", "iot:Connect", arn(`client/${variable("iot:ClientId")}`)),
      statement(
        "Allow",
        "iot:Publish",
        arn(`topic/$aws/things/${variable("iot:Connection.Thing.ThingName")}/shadow/*`),
      ),
      statement("Deny", "iot:Subscribe", arn(`topicfilter/${variable("iot:ClientId")}`)),
      statement("Allow", "iot:Subscribe", "*"),
    ]);
    const lamp = policies.rulesOf({ user: "lamp", clientId: "c.1" });
    expect(lamp("iot:Connect", "client/c.1")).toBe(true);
    expect(lamp("iot:Connect", "client/cx1")).toBe(false);
    expect(lamp("iot:Publish", "topic/$aws/things/lamp/shadow/update")).toBe(true);
    expect(lamp("iot:Publish", "topic/$aws/things/door/shadow/update")).toBe(false);
    expect(lamp("iot:Subscribe", "topicfilter/other")).toBe(true);
    expect(lamp("iot:Subscribe", "topicfilter/c.1")).toBe(false);
    for (const odd of ["*", "a?", "+", "#", "a/b", undefined]) {
      const may = policies.rulesOf({ user: odd, clientId: odd });
      expect(may("iot:Connect", "client/anything")).toBe(false);
      expect(may("iot:Publish", "topic/$aws/things/lamp/shadow/update")).toBe(false);
      // A Deny that cannot be resolved denies.
      expect(may("iot:Subscribe", "topicfilter/other")).toBe(false);
    }
  });

  test("applies to its users, and to things only if it says so", () => {
    const policies = policiesOf(
      [
        statement("Allow", "iot:Publish", arn("topic/a"), {
          Condition: { Bool: { "iot:Connection.Thing.IsAttached": ["true"] } },
        }),
      ],
      { lamp: ["p"], "not a thing": ["p"] },
    );
    expect(policies.rulesOf({ user: "lamp" })("iot:Publish", "topic/a")).toBe(true);
    expect(policies.rulesOf({ user: "not a thing" })("iot:Publish", "topic/a")).toBe(false);
    expect(policies.rulesOf({ user: "other" })("iot:Publish", "topic/a")).toBe(false);
    expect(policies.rulesOf({ user: "*" })("iot:Publish", "topic/a")).toBe(false);
    expect(policies.rulesOf({})("iot:Publish", "topic/a")).toBe(false);
  });
});

/** The error for a value in the file. */
const invalidAt = (pointer: string | undefined) =>
  expect.objectContaining({
    code: "SERVER_POLICIES_FILE_INVALID",
    details: expect.objectContaining({ pointer }),
  });

test("a condition with several values matches if one of them does", () => {
  const Condition = { Bool: { "iot:Connection.Thing.IsAttached": [true, "false"] } };
  const policies = policiesOf(
    [statement("Allow", "iot:*", "*"), statement("Deny", "iot:Publish", arn("topic/secret"), { Condition })],
    { lamp: ["p"], "not a thing": ["p"] },
  );
  for (const user of ["lamp", "not a thing"]) {
    expect(policies.rulesOf({ user })("iot:Publish", "topic/secret")).toBe(false);
    expect(policies.rulesOf({ user })("iot:Publish", "topic/other")).toBe(true);
  }
  const empty = { Bool: { "iot:Connection.Thing.IsAttached": [] } };
  expect(() => policiesOf([statement("Allow", "iot:*", "*", { Condition: empty })])).toThrow(
    invalidAt("/policies/p/Statement/0/Condition/Bool/iot:Connection.Thing.IsAttached"),
  );
});

test("everything that is not supported is an error", () => {
  const wrong = [
    ["{", undefined],
    ["[]", ""],
    ['{"policies":[],"attachments":{}}', "/policies"],
    ['{"policies":{},"attachments":{"a/b":["none"]}}', "/attachments/a~1b"],
    ['{"policies":{},"attachments":{},"more":1}', "/more"],
    ['{"policies":{"p":{"Version":"2008-10-17","Statement":[]}},"attachments":{}}', "/policies/p/Version"],
  ] as const;
  for (const [text, pointer] of wrong) expect(() => parsePolicies(text, "file")).toThrow(invalidAt(pointer));
  const statements = [
    [{ Effect: "Maybe", Action: "iot:Publish", Resource: "*" }, "/Effect"],
    [{ Effect: "Allow", NotAction: "iot:Publish", Resource: "*" }, "/NotAction"],
    [{ Effect: "Allow", Action: "s3:GetObject", Resource: "*" }, "/Action"],
    [{ Effect: "Allow", Action: "iot:Publish", Resource: "topic/a" }, "/Resource"],
    [
      { Effect: "Allow", Action: "iot:Publish", Resource: arn(`topic/${variable("iot:Unknown")}`) },
      "/Resource",
    ],
    [
      { Effect: "Allow", Action: "iot:Publish", Resource: "*", Condition: { StringEquals: {} } },
      "/Condition/StringEquals",
    ],
    [{ Effect: "Allow", Action: [], Resource: "*" }, "/Action"],
  ] as const;
  for (const [each, pointer] of statements)
    expect(() => policiesOf([each])).toThrow(invalidAt(`/policies/p/Statement/0${pointer}`));
});
