import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { LogFields } from "@tablekeep/core";
import { expect, it } from "vitest";
import { httpPort } from "../http/http-port.ts";
import { logged } from "./logged.ts";
import { metered } from "./metered.ts";

it("meter and log learn of the retries that the http port makes, and why", async () => {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    const throttles = requests < 3;
    response.writeHead(throttles ? 400 : 200, { "content-type": "application/x-amz-json-1.0" });
    response.end(throttles ? '{"__type":"com.amazonaws.dynamodb.v20120810#ThrottlingException"}' : "{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const warnings: (LogFields | undefined)[] = [];
  const quiet = () => {};
  const logger = {
    debug: quiet,
    info: quiet,
    error: quiet,
    warn: (_: string, fields?: LogFields) => void warnings.push(fields),
  };
  const { port, meter } = metered(
    httpPort({
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      region: "us-east-1",
      credentials: { accessKeyId: "any", secretAccessKey: "any" },
      random: () => 0.01,
    }),
  );
  try {
    await logged(port, logger).putItem({ TableName: "carts", Item: { id: { S: "1" } } });
    expect(meter.snapshot().total).toMatchObject({ requests: 1, retries: 2, failures: 0 });
    expect(warnings).toMatchObject([{ operation: "PutItem", table: "carts", code: "DYNAMO_THROTTLING" }]);
  } finally {
    await port.close();
    server.close();
  }
});
