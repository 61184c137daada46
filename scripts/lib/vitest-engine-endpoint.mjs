/**
 * Runs the tests of the projects on DynamoDB Local again on the embedded engine, over HTTP, so that a machine without Java
 * runs them too. They ask for their endpoint with `inject("dynamoDbLocal")` and cannot tell the difference. The engine is
 * the compiled one: `npm test` builds it first.
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
  return () => server.stop();
}
