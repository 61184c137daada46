/** Builds the console's page into packages/tablekeep/dist/console. */
import { buildConsole } from "./lib/build-console.mjs";

await buildConsole();
