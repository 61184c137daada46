/**
 * The tables, the permissions and the server as a stack of the AWS CDK. It includes the CloudFormation template, so that both
 * are the same; `template.getResource("Events")` and the like are constructs for your own code.
 */
import { fileURLToPath } from "node:url";
import { App, Stack } from "aws-cdk-lib";
import { CfnInclude } from "aws-cdk-lib/cloudformation-include";

const app = new App();
const stack = new Stack(app, "Tablekeep");
const template = new CfnInclude(stack, "Template", {
  templateFile: fileURLToPath(new URL("../tablekeep.cloudformation.json", import.meta.url)),
});
for (const table of ["Events", "Mail"]) template.getResource(table).addMetadata("store", table.toLowerCase());
app.synth();
