/**
 * Starts the program in a container. A secret arrives there as a variable, and the server reads users from files: the lines of
 * TABLEKEEP_USERS (`name:bcrypt hash`) become the users of the console, SMTP and MQTT.
 */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const users = process.env.TABLEKEEP_USERS;
if (users !== undefined) {
  const file = join(mkdtempSync(join(tmpdir(), "tablekeep-")), "users");
  writeFileSync(file, users, { mode: 0o600 });
  process.env.TABLEKEEP_AUTH_FILE ??= file;
  process.env.TABLEKEEP_SMTP_USERS ??= file;
  process.env.TABLEKEEP_MQTT_USERS ??= file;
  // Processes that the server starts do not get it.
  delete process.env.TABLEKEEP_USERS;
}
await import("./node_modules/tablekeep/bin/tablekeep.js");
