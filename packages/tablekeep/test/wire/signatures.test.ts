import { DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { httpPort } from "@tablekeep/client";
import { type Clock, silentLogger, systemClock } from "@tablekeep/core";
import { type Engine, openEngine } from "@tablekeep/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dynamoDbListener } from "../../src/server/dynamodb/dynamodb-listener.ts";
import { send } from "./raw-dynamodb.ts";
import { type RecordedRequest, recordRequest } from "./record-request.ts";

const accessKeyId = "AKIDEXAMPLE";
const secretAccessKey = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
const credentials = { accessKeyId, secretAccessKey };

/** The server's clock, which a test may change. */
let skewMs = 0;
const clock: Clock = { ...systemClock, now: () => systemClock.now() + skewMs };

let engine: Engine;
let endpoint = "";
let stop = async () => {};
beforeAll(async () => {
  engine = await openEngine({ storage: { kind: "memory" } });
  const target = { listener: "dynamodb", host: "127.0.0.1", port: 0, portFlag: "--port" };
  const accessKeys = { [accessKeyId]: secretAccessKey };
  const listener = dynamoDbListener({ target, backend: engine, accessKeys, clock, logger: silentLogger });
  endpoint = await listener.start();
  stop = () => listener.stop(0);
});
afterAll(async () => {
  await stop();
  await engine.close();
});

/** A request signed by each client, recorded by another server. */
const clients = {
  "the AWS SDK": async (url: string, keys: typeof credentials) => {
    const client = new DynamoDBClient({
      endpoint: url,
      region: "eu-west-1",
      credentials: keys,
      maxAttempts: 1,
    });
    await client.send(new ListTablesCommand({ Limit: 7 })).finally(() => client.destroy());
  },
  "the http port": async (url: string, keys: typeof credentials) => {
    await using port = httpPort({ endpoint: url, region: "eu-west-1", credentials: keys, maxAttempts: 1 });
    await port.listTables({ Limit: 7 });
  },
} as const;

describe.each(Object.keys(clients) as (keyof typeof clients)[])("signed by %s", (name) => {
  const rejectionOf = (keys: typeof credentials) =>
    clients[name](endpoint, keys).then(
      () => "none",
      (error: { name: string; details?: { exception: string } }) => error.details?.exception ?? error.name,
    );

  test("accepts the right secret", async () => {
    expect(await rejectionOf(credentials)).toBe("none");
  });

  test("a session token is accepted", async () => {
    const keys = { ...credentials, sessionToken: "token/with+odd=characters" };
    expect(await rejectionOf(keys)).toBe("none");
  });

  test("distinguishes a wrong secret from an unknown key", async () => {
    expect(await rejectionOf({ accessKeyId, secretAccessKey: "wrong" })).toBe("InvalidSignatureException");
    expect(await rejectionOf({ ...credentials, accessKeyId: "AKIDOTHER" })).toBe(
      "UnrecognizedClientException",
    );
    expect(await rejectionOf({ ...credentials, accessKeyId: "__proto__" })).toBe(
      "UnrecognizedClientException",
    );
  });

  describe("and changed in transit", () => {
    /** Sends a signed request on, with the `host` that was signed, after a change. */
    const changed = async (change: (request: RecordedRequest) => void) => {
      const request = await recordRequest((url) => clients[name](url, credentials));
      change(request);
      const answer = await send(endpoint, request.headers, request.body);
      return answer.status === 200 ? "none" : String(answer.json()["__type"]).replace(/^.*#/, "");
    };

    test("accepts an unchanged request, twice", async () => {
      expect(await changed(() => {})).toBe("none");
    });

    test.each<[string, string, Parameters<typeof changed>[0]]>([
      ["another body", "InvalidSignatureException", (request) => (request.body = '{"Limit":8}')],
      [
        "another operation",
        "InvalidSignatureException",
        ({ headers }) => (headers["x-amz-target"] = "DynamoDB_20120810.DescribeLimits"),
      ],
      [
        "another day",
        "InvalidSignatureException",
        ({ headers }) => (headers["x-amz-date"] = "20200101T000000Z"),
      ],
      ["no date", "IncompleteSignatureException", ({ headers }) => delete headers["x-amz-date"]],
      [
        "a date of no form",
        "InvalidSignatureException",
        ({ headers }) => (headers["x-amz-date"] = "yesterday"),
      ],
      [
        "no signature",
        "MissingAuthenticationTokenException",
        ({ headers }) => delete headers["authorization"],
      ],
      [
        "another kind of authorization",
        "MissingAuthenticationTokenException",
        ({ headers }) => (headers["authorization"] = "Basic YTpi"),
      ],
      [
        "a header of AWS's that is not signed",
        "InvalidSignatureException",
        ({ headers }) => (headers["x-amz-security-token"] = "smuggled"),
      ],
      [
        "a signature cut short",
        "InvalidSignatureException",
        ({ headers }) => (headers["authorization"] = headers["authorization"]?.slice(0, -1) ?? ""),
      ],
      [
        "no signed headers",
        "IncompleteSignatureException",
        ({ headers }) =>
          (headers["authorization"] = headers["authorization"]?.replace(/SignedHeaders=[^,]*,/, "") ?? ""),
      ],
      [
        "host not signed",
        "InvalidSignatureException",
        ({ headers }) => (headers["authorization"] = headers["authorization"]?.replace(";host;", ";") ?? ""),
      ],
      [
        "a credential without its scope",
        "IncompleteSignatureException",
        ({ headers }) =>
          (headers["authorization"] =
            headers["authorization"]?.replace(/Credential=[^,]*,/, "Credential=A,") ?? ""),
      ],
      [
        "another service in its scope",
        "InvalidSignatureException",
        ({ headers }) =>
          (headers["authorization"] = headers["authorization"]?.replace("/dynamodb/", "/sqs/") ?? ""),
      ],
    ])("%s is %s", async (_what, rejection, change) => {
      expect(await changed(change)).toBe(rejection);
    });
  });
});

describe("the time of a signature", () => {
  const list = async () => {
    await using port = httpPort({ endpoint, credentials, maxAttempts: 1 });
    return await port.listTables({}).then(
      () => "none",
      (error: { details: { serviceMessage: string } }) => error.details.serviceMessage,
    );
  };

  test.each([
    [4 * 60_000, "none"],
    [-4 * 60_000, "none"],
  ])("may be off by %d ms", async (skew, output) => {
    skewMs = skew;
    expect(await list()).toBe(output);
  });

  test.each([
    [
      6 * 60_000,
      /^Signature expired: \d{8}T\d{6}Z is now earlier than \d{8}T\d{6}Z \(\d{8}T\d{6}Z - 5 min\.\)$/,
    ],
    [
      -6 * 60_000,
      /^Signature not yet current: \d{8}T\d{6}Z is still later than \d{8}T\d{6}Z \(\d{8}T\d{6}Z \+ 5 min\.\)$/,
    ],
  ])("may not be off by %d ms", async (skew, output) => {
    skewMs = skew;
    expect(await list()).toMatch(output);
  });
});
