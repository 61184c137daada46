import type { Command } from "commander";
import type { ShadowConfig } from "../../server/shadow/shadow-config.ts";
import { parsePort } from "../parse-port.ts";

/** What the command line says about device shadows. */
export interface ShadowFlags {
  readonly mqttPort: number;
  readonly mqtt: boolean;
  readonly mqttUsers?: string;
  readonly mqttOwnThing?: true;
}

export function addShadowFlags(command: Command): Command {
  return command
    .option("--mqtt-port <number>", "the port of MQTT, for device shadows", parsePort, 1883)
    .option("--no-mqtt", "serve no MQTT")
    .option("--mqtt-users <file>", "who may connect by MQTT: a file with a line name:hash each")
    .option("--mqtt-own-thing", "an MQTT client reaches only the thing that bears its user's name");
}

/** Reads the file that the flags name. */
export async function readShadowFlags({ mqttUsers, mqttOwnThing }: ShadowFlags): Promise<ShadowConfig> {
  const { readUsersFile } = await import("../../server/auth/users-file.ts");
  return {
    users: mqttUsers === undefined ? undefined : readUsersFile(mqttUsers),
    ownThingOnly: mqttOwnThing ?? false,
  };
}
