import { DynamoError, TablekeepError } from "@tablekeep/core";
import { describe, expect, test } from "vitest";
import { ShadowError } from "../model/shadow-error.ts";
import { awsError, awsErrorOf, errorBody, rejectedDocument } from "./aws-error.ts";
import { isShadowTopic, parseShadowTopic, type ShadowTopic, shadowTopic } from "./aws-names.ts";

describe("topics", () => {
  const topics: readonly (readonly [string, ShadowTopic])[] = [
    ["$aws/things/t/shadow/get", { thingName: "t", shadowName: "", action: "get" }],
    [
      "$aws/things/t/shadow/update/delta",
      { thingName: "t", shadowName: "", action: "update", answer: "delta" },
    ],
    ["$aws/things/t/shadow/name/n/update", { thingName: "t", shadowName: "n", action: "update" }],
    [
      "$aws/things/t/shadow/name/n/delete/rejected",
      { thingName: "t", shadowName: "n", action: "delete", answer: "rejected" },
    ],
    ["$aws/things/t/shadow/name/update/update", { thingName: "t", shadowName: "update", action: "update" }],
  ];

  test.each(topics)("%s is read and written", (text, topic) => {
    expect(parseShadowTopic(text)).toEqual(topic);
    expect(shadowTopic(topic)).toBe(text);
  });

  test.each([
    "",
    "things/t/shadow/get",
    "$aws/things/t/shadow",
    "$aws/things/t/shadow/get/delta",
    "$aws/things/a/b/shadow/get",
    "$aws/things//shadow/get",
    "$aws/things/t/shadow/name/n/x/get",
    "$aws/things/t/shadow/patch",
    "x$aws/things/t/shadow/get",
  ])("%j is not a topic of the service", (text) => {
    expect(parseShadowTopic(text)).toBeUndefined();
  });

  test("everything below a thing's shadow is reserved", () => {
    const reserved = ["$aws/things/t/shadow", "$aws/things/t/shadow/patch", "$aws/things//shadow/get"];
    expect(reserved.map(isShadowTopic)).toEqual([true, true, true]);
    const others = ["$aws/things/t/shadows/get", "$aws/things/t/jobs/get", "things/t/shadow/get"];
    expect(others.map(isShadowTopic)).toEqual([false, false, false]);
  });
});

describe("errors", () => {
  const shadow = { thingName: "thing", shadowName: "name" };

  test("a missing shadow is named: the shadow by its name, the classic one by its thing", () => {
    const error = new ShadowError("SHADOW_NOT_FOUND", "", { id: "", name: "" });
    const answer = awsErrorOf(error, shadow);
    expect(answer).toEqual({
      status: 404,
      exception: "ResourceNotFoundException",
      message: "No shadow exists with name: 'name'",
    });
    const document = { code: 404, message: answer.message, timestamp: 7 };
    expect(rejectedDocument(answer, { timestamp: 7 })).toEqual(document);
    expect(rejectedDocument(answer, { timestamp: 7, clientToken: "t" })).toEqual({
      ...document,
      clientToken: "t",
    });
    expect(errorBody(answer, "trace")).toEqual({ message: answer.message, traceId: "trace" });
    expect(awsErrorOf(error, { ...shadow, shadowName: "" }).message).toBe(
      "No shadow exists with name: 'thing'",
    );
  });

  test.each([
    ["ResourceNotFoundException", 500],
    ["ProvisionedThroughputExceededException", 429],
    ["AccessDeniedException", 500],
    ["InternalServerError", 500],
  ])("DynamoDB's %s is a %i, without its message", (exception, status) => {
    const answer = awsErrorOf(new DynamoError({ exception, serviceMessage: "secret" }), shadow);
    expect(answer.status).toBe(status);
    expect(answer.message).not.toContain("secret");
  });

  test("an unreachable store is a 503, a possibly stored write a 500", () => {
    const error = (ambiguous: boolean) =>
      new TablekeepError({ code: "X", kind: "unavailable", message: "", details: {}, ambiguous });
    expect([awsErrorOf(error(false), shadow).status, awsErrorOf(error(true), shadow).status]).toEqual([
      503, 500,
    ]);
    expect(awsError(405)).toEqual({
      status: 405,
      exception: "MethodNotAllowedException",
      message: "Method not allowed",
    });
  });
});
