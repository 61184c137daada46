import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { failureOf } from "../test/failure-of.ts";
import { answer, type LoopbackServer, loopbackServer } from "../test/loopback-server.ts";
import { connect } from "./connect.ts";
import type { ConnectOptions } from "./connect-options.ts";

const credentials = { accessKeyId: "AKID", secretAccessKey: "secret" };
const get = { TableName: "carts", Key: { id: { S: "1" } } };

let server: LoopbackServer;
beforeEach(async () => {
  server = await loopbackServer((_, response) => answer(response, { Item: { id: { S: "1" } } }));
});
afterEach(() => server.close());

const optionAt = (options: object): string => {
  try {
    connect(options as ConnectOptions);
  } catch (error) {
    const { code, details } = error as { code: string; details: { option: string } };
    expect(code).toBe("CLIENT_OPTION_INVALID");
    return details.option;
  }
  return "fine";
};

describe("connect", () => {
  test("to an endpoint", async () => {
    await using port = connect({ endpoint: server.url, credentials, env: {} });
    await expect(port.getItem(get)).resolves.toEqual({ Item: { id: { S: "1" } } });
  });

  test.each([
    [{ AWS_ENDPOINT_URL_DYNAMODB: "SERVER", AWS_ENDPOINT_URL: "http://127.0.0.1:1" }, "us-east-1"],
    [{ AWS_ENDPOINT_URL: "SERVER", AWS_REGION: "eu-north-1", AWS_DEFAULT_REGION: "x-1" }, "eu-north-1"],
    [{ AWS_ENDPOINT_URL: "SERVER", AWS_REGION: "", AWS_DEFAULT_REGION: "eu-south-1" }, "eu-south-1"],
  ])("to what the environment says: %o", async (given, region) => {
    const env = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name, value.replace("SERVER", server.url)]),
    );
    await using port = connect({ credentials, env });
    await port.getItem(get);
    expect(server.seen[0]?.headers.authorization).toContain(`/${region}/dynamodb/`);
  });

  test("to the region of the profile, if nothing else sets one", async () => {
    const folder = mkdtempSync(join(tmpdir(), "connect-"));
    const AWS_CONFIG_FILE = join(folder, "config");
    writeFileSync(AWS_CONFIG_FILE, "[profile work]\nregion = eu-south-2\n");
    const env = { AWS_CONFIG_FILE, AWS_PROFILE: "work" };
    for (const [more, region] of [
      [{}, "eu-south-2"],
      [{ AWS_REGION: "eu-north-1" }, "eu-north-1"],
    ] as const) {
      await using port = connect({ endpoint: server.url, credentials, env: { ...env, ...more } });
      await port.getItem(get);
      expect(server.seen.at(-1)?.headers.authorization).toContain(`/${region}/dynamodb/`);
    }
    rmSync(folder, { recursive: true });
  });

  test("options win over the environment", async () => {
    const env = {
      AWS_ENDPOINT_URL_DYNAMODB: "http://127.0.0.1:1",
      AWS_REGION: "eu-north-1",
      AWS_ENDPOINT_URL_DYNAMODB_STREAMS: "http://127.0.0.1:1",
    };
    await using port = connect({ endpoint: server.url, region: "ap-east-1", credentials, env });
    await port.getItem(get);
    await port.listStreams({});
    expect(server.seen[0]?.headers.authorization).toContain("/ap-east-1/");
    expect(server.seen.length).toBe(2);
  });

  test("streams may have their own endpoint in the environment", async () => {
    const env = { AWS_ENDPOINT_URL: "http://127.0.0.1:1", AWS_ENDPOINT_URL_DYNAMODB_STREAMS: server.url };
    await using port = connect({ credentials, env });
    await port.listStreams({});
    expect(server.seen.length).toBe(1);
  });

  test("a wrong variable is named", () => {
    expect(optionAt({ credentials, env: { AWS_ENDPOINT_URL: "localhost" } })).toBe("AWS_ENDPOINT_URL");
    expect(optionAt({ credentials, env: { AWS_REGION: "eu west" } })).toBe("AWS_REGION");
  });

  test("through an SDK client, which stays the user's", async () => {
    const client = new DynamoDBClient({ endpoint: server.url, region: "us-east-1", credentials });
    const lines: string[] = [];
    const nothing = () => {};
    const logger = {
      debug: (line: string) => void lines.push(line),
      info: nothing,
      warn: nothing,
      error: nothing,
    };
    const port = connect({ client, deadlineMs: 5_000, tracing: true, logger });
    await expect(port.getItem(get)).resolves.toEqual({ Item: { id: { S: "1" } } });
    expect(server.seen[0]?.headers["user-agent"]).toContain("aws-sdk-js");
    expect(lines).toHaveLength(1);
    await port.close();
    await port.close();
    expect(await failureOf(port.getItem(get))).toMatchObject({ code: "CLIENT_CLOSED" });
    client.destroy();
  });

  test("a port through a client that was never used closes", async () => {
    await connect({ client: new DynamoDBClient({ region: "us-east-1" }) }).close();
  });
});

describe("wrong options are rejected at once, by name", () => {
  test.each<[object, string]>([
    [{ maxConnection: 5 }, "maxConnection"],
    [{ maxConnections: 0 }, "maxConnections"],
    [{ maxConnections: "5" }, "maxConnections"],
    [{ endpoint: "127.0.0.1:8000" }, "endpoint"],
    [{ endpoint: "http://user:pass@h" }, "endpoint"],
    [{ streamsEndpoint: "x" }, "streamsEndpoint"],
    [{ region: "" }, "region"],
    [{ region: "eu/west" }, "region"],
    [{ credentials: "key" }, "credentials"],
    [{ credentials: { accessKeyId: "", secretAccessKey: "x" } }, "credentials.accessKeyId"],
    [{ credentials: { accessKeyId: "x" } }, "credentials.secretAccessKey"],
    [{ connectTimeoutMs: 0 }, "connectTimeoutMs"],
    [{ socketTimeoutMs: -1 }, "socketTimeoutMs"],
    [{ deadlineMs: Number.NaN }, "deadlineMs"],
    [{ maxAttempts: 0 }, "maxAttempts"],
    [{ retryBudget: -1 }, "retryBudget"],
    [{ proxy: "proxy:3128" }, "proxy"],
    [{ keepAliveMs: "long" }, "keepAliveMs"],
    [{ connectionLifeMs: 0 }, "connectionLifeMs"],
    [{ localAddress: "" }, "localAddress"],
    [{ userAgentSuffix: "a\r\nx-evil: 1" }, "userAgentSuffix"],
    [{ tlsCa: [] }, "tlsCa"],
    [{ tlsInsecure: 1 }, "tlsInsecure"],
    [{ checkCrc: 1 }, "checkCrc"],
    [{ gzip: "yes" }, "gzip"],
    [{ logger: {} }, "logger"],
    [{ tracing: 1 }, "tracing"],
    [{ clock: {} }, "clock"],
    [{ random: 4 }, "random"],
    [{ env: 1 }, "env"],
    [{ client: {} }, "client"],
    [{ streamsClient: { send() {} } }, "streamsClient"],
    [{ client: { send() {} }, region: "eu-west-1" }, "region"],
    [{ client: { send() {} }, maxConnections: 3 }, "maxConnections"],
  ])("%o", (options, option) => {
    expect(optionAt(options)).toBe(option);
  });

  test("the secret is not in the error", () => {
    expect(() => connect({ credentials: { accessKeyId: "", secretAccessKey: "canary" } })).toThrow(
      /^(?!.*canary).*$/s,
    );
  });
});
