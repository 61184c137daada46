import { readFile } from "node:fs/promises";
import { HttpRefusal } from "../http/http-refusal.ts";
import { packageFolder } from "../package-folder.ts";

const types: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};

/** A file that the console is made of. */
export interface ConsoleFile {
  readonly body: Buffer;
  readonly type: string;
}

/** Reads a file of the built console by its name. */
export async function readConsoleFile(name: string): Promise<ConsoleFile> {
  const type = /^\w+\.(\w+)$/.exec(name)?.[1];
  if (type === undefined || types[type] === undefined) throw new HttpRefusal(404, "there is nothing here");
  try {
    return { body: await readFile(new URL(`dist/console/${name}`, packageFolder)), type: types[type] };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new HttpRefusal(404, "the console is not built: run `npm run build` in the checkout");
  }
}
