import { describe, expect, inject, test } from "vitest";
import { fill, filled, serveFor, whole } from "../../../test/serve-on-endpoint.ts";
// Imported here, so that no test waits until it is loaded.
import "../../server/start-server.ts";

const endpoint = inject("dynamoDbLocal");
/** Any credentials will do: tests share the tables of one DynamoDB Local. */
const env = {
  AWS_ACCESS_KEY_ID: `serve${process.pid}`,
  AWS_SECRET_ACCESS_KEY: "local",
  AWS_REGION: "us-east-1",
};

describe.skipIf(endpoint === "")("serve on DynamoDB Local", () => {
  test("stores everything there", async () => {
    await serveFor(["--endpoint", endpoint, "--create-tables"], fill, env);
    await serveFor(["--endpoint", endpoint], async (at) => expect(await filled(at)).toEqual(whole), env);
  });
});
