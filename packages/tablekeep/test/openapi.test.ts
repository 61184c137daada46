import { expect, test } from "vitest";
import { startServer } from "../src/server/start-server.ts";
import { servedRoutes } from "./served-endpoints.ts";

const options = { memory: true, httpPort: 0, dynamodb: false, smtp: false, mqtt: false };
const self = "GET /api/v3/openapi.json";

test("the OpenAPI document has every request under /api/v3, each with a unique name, and no other", async () => {
  await using server = await startServer(options);
  const answer = await fetch(new URL("/api/v3/openapi.json", server.listeners[0]?.url));
  const { paths } = (await answer.json()) as {
    paths: Record<string, Record<string, { operationId: string; responses: object }>>;
  };
  const described = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { operationId }]) => ({
      request: `${method.toUpperCase()} ${path}`,
      operationId,
    })),
  );
  const served = (await servedRoutes(options))
    .filter(({ path }) => path.startsWith("/api/v3/"))
    .map(({ method, path }) => `${method} ${path.replace(/[:*](\w+)/g, "{$1}")}`);
  expect(described.map(({ request }) => request).toSorted()).toEqual(
    served.filter((request) => request !== self).toSorted(),
  );
  expect(new Set(described.map(({ operationId }) => operationId)).size).toBe(described.length);
});
