import { readFileSync } from "node:fs";
import { join } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/** The region of a profile, and the file that sets it. */
export interface ProfileRegion {
  readonly region: string;
  readonly file: string;
}

/**
 * Reads the region of the selected profile (`AWS_PROFILE`, or `default`) from the shared files of the AWS tools. Like the AWS
 * SDK, prefers the file of credentials, and ignores files that cannot be read.
 */
export function profileRegion(env: Environment): ProfileRegion | undefined {
  const profile = env["AWS_PROFILE"] || "default";
  const home = env["HOME"] || env["USERPROFILE"];
  const inHome = (name: string) => (home ? join(home, ".aws", name) : undefined);
  const credentials = env["AWS_SHARED_CREDENTIALS_FILE"] || inHome("credentials");
  const config = env["AWS_CONFIG_FILE"] || inHome("config");
  return regionIn(credentials, [profile]) ?? regionIn(config, configSections(profile));
}

/** The file of settings names its sections `profile NAME`, except for the default, which may have either form. */
function configSections(profile: string): string[] {
  return profile === "default" ? ["profile default", "default"] : [`profile ${profile}`];
}

function regionIn(file: string | undefined, sections: readonly string[]): ProfileRegion | undefined {
  if (file === undefined) return undefined;
  const regions = regionsBySection(readText(file));
  const section = sections.find((name) => regions.has(name));
  return section === undefined ? undefined : { region: regions.get(section) as string, file };
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** Returns the value of `region` in each section that has one. Indented lines belong to the setting above them. */
function regionsBySection(text: string): Map<string, string> {
  const regions = new Map<string, string>();
  let section: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    const content = (line.split(/(?:^|\s)[;#]/)[0] as string).trimEnd();
    const title = /^\s*\[(.*)\]$/.exec(content)?.[1];
    if (title !== undefined) section = nameOf(title);
    const value = /^region\s*=\s*(.*)$/.exec(content)?.[1];
    if (section !== undefined && value) regions.set(section, value);
  }
  return regions;
}

/** `profile "my name"` → `profile my name`. */
function nameOf(title: string): string {
  return title.trim().replace(/^profile\s+(["']?)(.*)\1$/, "profile $2");
}
