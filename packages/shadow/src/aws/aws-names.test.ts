import { DynamoError, TablekeepError } from "@tablekeep/core";
import { describe, expect, test } from "vitest";
import { ShadowError } from "../model/shadow-error.ts";
import { awsError, awsErrorOf, errorBody, rejectedDocument } from "./aws-error.ts";
import { parseShadowTopic, type ShadowTopic, shadowRoute, shadowTopic } from "./aws-names.ts";

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
  ])("%j is none", (text) => {
    expect(parseShadowTopic(text)).toBeUndefined();
  });
});

describe("paths", () => {
  const route = (method: string, url: string) => {
    const [path = "", query] = url.split("?");
    return shadowRoute(method, path, new URLSearchParams(query));
  };

  test.each([
    ["GET", "/things/a%3Ab/shadow", { operation: "get", thingName: "a:b", shadowName: "" }],
    ["POST", "/things/t/shadow?name=%24n", { operation: "update", thingName: "t", shadowName: "$n" }],
    ["DELETE", "/things/t/shadow", { operation: "delete", thingName: "t", shadowName: "" }],
    ["PUT", "/things/t/shadow", { operation: "methodNotAllowed" }],
    ["GET", "/things/%E0%A4%A/shadow", { operation: "methodNotAllowed" }],
    [
      "GET",
      "/api/things/shadow/ListNamedShadowsForThing/t?pageSize=2&nextToken=x",
      { operation: "listNamed", thingName: "t", pageSize: "2", nextToken: "x" },
    ],
    ["POST", "/api/things/shadow/ListNamedShadowsForThing/t", { operation: "methodNotAllowed" }],
    [
      "POST",
      "/topics/%24aws/things/t/shadow/update?qos=1",
      { operation: "publish", topic: "$aws/things/t/shadow/update", qos: "1" },
    ],
    ["GET", "/topics/x", { operation: "methodNotAllowed" }],
    ["GET", "/things/t", undefined],
    ["GET", "/", undefined],
  ])("%s %s", (method, url, expected) => {
    expect(route(method, url)).toEqual(expected);
  });
});

describe("errors", () => {
  const shadow = { thingName: "thing", shadowName: "name" };

  test("a missing shadow is named: the shadow by its name, the classic one by its thing", () => {
    const error = new ShadowError("SHADOW_NOT_FOUND", "", { id: "", name: "" });
    const told = awsErrorOf(error, shadow);
    expect(told).toEqual({
      status: 404,
      exception: "ResourceNotFoundException",
      message: "No shadow exists with name: 'name'",
    });
    expect(rejectedDocument(told, "t")).toEqual({ code: 404, message: told.message, clientToken: "t" });
    expect(rejectedDocument(told)).toEqual({ code: 404, message: told.message });
    expect(errorBody(told, "trace")).toEqual({ message: told.message, traceId: "trace" });
    expect(awsErrorOf(error, { ...shadow, shadowName: "" }).message).toBe(
      "No shadow exists with name: 'thing'",
    );
  });

  test.each([
    ["ResourceNotFoundException", 500],
    ["ProvisionedThroughputExceededException", 429],
    ["AccessDeniedException", 500],
    ["InternalServerError", 500],
  ])("DynamoDB's %s is a %i, without its words", (exception, status) => {
    const told = awsErrorOf(new DynamoError({ exception, serviceMessage: "secret" }), shadow);
    expect(told.status).toBe(status);
    expect(told.message).not.toContain("secret");
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
