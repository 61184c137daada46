/** `node scripts/cycles.mjs [packages/journal]`: prints the import cycles of the checkout or of one package. */
import { checkoutFiles } from "./lib/checkout-files.mjs";
import { importCycles } from "./lib/import-cycles.mjs";

const [folder = ""] = process.argv.slice(2);
const files = (await checkoutFiles()).filter(({ path }) => path.startsWith(folder));
const cycles = importCycles(files);
for (const cycle of cycles) console.log(cycle);
console.log(`${cycles.length} import cycles`);
