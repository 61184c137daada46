/** `npm run format`: wraps the prose of every Markdown page. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkoutFiles } from "./lib/checkout-files.mjs";
import { rootFolder } from "./lib/run-command.mjs";
import { isPage, wrapMarkdown } from "./lib/wrap-markdown.mjs";

for (const { path, source } of (await checkoutFiles()).filter(isPage)) {
  const wrapped = wrapMarkdown(source);
  if (wrapped !== source) writeFileSync(join(rootFolder, path), wrapped);
}
