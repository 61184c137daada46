/** `npm run deploy-templates`: writes the templates of deploy/aws from the table definitions of the server. A test compares them. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { deployTemplates } from "./lib/deploy/aws-templates.mjs";
import { rootFolder } from "./lib/run-command.mjs";

for (const [name, text] of Object.entries(await deployTemplates()))
  writeFileSync(join(rootFolder, "deploy", "aws", name), text);
