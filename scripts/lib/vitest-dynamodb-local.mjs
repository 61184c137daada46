/** One DynamoDB Local for the whole test run; tests ask for it with `inject("dynamoDbLocal")`. */
import { javaVersion, startDynamoDbLocal } from "./dynamodb-local.mjs";

export async function setup(project) {
  if (javaVersion() < 17) {
    if (process.env.CI)
      throw new Error("Java 17 is missing: with CI set, the tests on DynamoDB Local must run");
    console.warn("\n*** NO JAVA 17: ALL TESTS ON DYNAMODB LOCAL ARE SKIPPED ***\n");
    project.provide("dynamoDbLocal", "");
    return;
  }
  const local = await startDynamoDbLocal();
  project.provide("dynamoDbLocal", local.endpoint);
  return () => local.stop();
}
