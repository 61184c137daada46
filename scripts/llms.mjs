/** `npm run llms`: writes llms.txt from the docs. `npm run check` fails if it is out of date. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkoutFiles } from "./lib/checkout-files.mjs";
import { llmsText } from "./lib/llms.mjs";
import { rootFolder } from "./lib/run-command.mjs";

writeFileSync(join(rootFolder, "llms.txt"), llmsText(await checkoutFiles()));
