import { readFileSync } from "node:fs";

const read = (name: string) => readFileSync(new URL(`../fixtures/smtp/${name}`, import.meta.url));

/** For localhost, made for these tests and signed by itself. */
export const certificate = { key: read("key.pem"), cert: read("cert.pem") };
