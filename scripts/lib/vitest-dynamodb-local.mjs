/** Starts one DynamoDB Local for a test project; tests get its endpoint with `inject("dynamoDbLocal")`. */
import { javaOptions, javaVersion, startDynamoDbLocal } from "./dynamodb-local.mjs";

export async function setup(project) {
  project.provide("isEngine", false);
  if (javaVersion() < 17) {
    if (process.env.CI)
      throw new Error("Java 17 is missing: with CI set, the tests on DynamoDB Local must run");
    console.warn("\n*** Java 17 is missing: all tests on DynamoDB Local are skipped ***\n");
    project.provide("dynamoDbLocal", "");
    return;
  }
  const local = await startDynamoDbLocal({ javaOptions });
  project.provide("dynamoDbLocal", local.endpoint);
  return () => local.stop();
}
