import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { doctor, listening } from "../../../test/run-doctor.ts";
import { startDynamoDb } from "../../server/dynamodb/start-dynamodb.ts";

describe("tablekeep doctor with an endpoint", () => {
  test("reports missing tables, which a server creates only if the settings say so", async () => {
    await using dynamodb = await startDynamoDb({ port: 0 });
    const { code, wrong, findings } = await doctor(["--endpoint", dynamodb.endpoint]);
    expect(code).toBe(9);
    expect(findings).toContainEqual(expect.objectContaining({ check: "clock", status: "ok" }));
    expect(wrong.map(({ check }) => check)).toContain("table events");
    const creating = await doctor(["--endpoint", dynamodb.endpoint], { TABLEKEEP_CREATE_TABLES: "true" });
    expect([creating.code, creating.wrong]).toEqual([0, []]);
  });

  test.each([
    ["a clock that is wrong", { date: new Date(0).toUTCString() }, "clock-differs"],
    ["no date", {}, "endpoint-without-date"],
  ])("reports %s", async (_what, headers, reason) => {
    const server = createHttpServer((_request, response) => {
      response.sendDate = false;
      response
        .writeHead(400, { "content-type": "application/x-amz-json-1.0", ...headers })
        .end('{"__type":"com.amazon.coral.service#AccessDeniedException"}');
    });
    const port = await listening(server);
    const { findings } = await doctor(["--endpoint", `http://127.0.0.1:${port}`]);
    expect(findings.find(({ check }) => check === "clock")).toMatchObject({ reason });
    server.closeAllConnections();
    server.close();
  });

  test("reports an endpoint that is not a URL, and missing credentials, once", async () => {
    const { wrong } = await doctor(["--endpoint", "localhost:8000"]);
    expect(wrong).toMatchObject([{ check: "clock", reason: "endpoint-invalid" }]);
    const nowhere = { AWS_CONFIG_FILE: "/none", AWS_SHARED_CREDENTIALS_FILE: "/none" };
    const withoutKeys = await doctor(["--region", "eu-west-1"], {
      ...nowhere,
      AWS_EC2_METADATA_DISABLED: "true",
    });
    expect(withoutKeys.wrong).toMatchObject([{ check: "data", reason: "CLIENT_CREDENTIALS_MISSING" }]);
  });

  test("reports an endpoint that does not answer, once", async () => {
    const server = createServer();
    const port = await listening(server);
    server.close();
    const { code, wrong } = await doctor(["--endpoint", `http://127.0.0.1:${port}`]);
    expect([code, wrong]).toMatchObject([9, [{ check: "clock", reason: "endpoint-silent" }]]);
  });
});
