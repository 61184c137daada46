/**
 * Runs the tests written for DynamoDB Local on the embedded engine over HTTP, so that they also run without Java. Tests get
 * the endpoint with `inject("dynamoDbLocal")` in both cases. This uses the compiled engine; `npm test` builds it first.
 */
import { startServer } from "../../packages/tablekeep/dist/index.js";

export async function setup(project) {
  const server = await startServer({
    memory: true,
    dynamodbPort: 0,
    httpPort: 0,
    mail: false,
    shadows: false,
  });
  project.provide("dynamoDbLocal", server.listeners.find(({ name }) => name === "dynamodb").url);
  project.provide("isEngine", true);
  return () => server.stop();
}
