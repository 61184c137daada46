/** The files of deploy/: they are current, and what they start runs. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deployTemplates, tableActions } from "../lib/deploy/aws-templates.mjs";
import { programTree } from "../lib/deploy/program-tree.mjs";
import { rootFolder } from "../lib/run-command.mjs";
import { run } from "./pack-and-install.ts";

const folder = mkdtempSync(join(tmpdir(), "tablekeep-deploy-"));
const text = (path: string) => readFileSync(join(rootFolder, path), "utf8");
beforeAll(() => run(process.execPath, [join("scripts", "build.mjs")], rootFolder));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the templates are those of the code: npm run deploy-templates", async () => {
  for (const [name, template] of Object.entries(await deployTemplates()))
    expect(text(`deploy/aws/${name}`), name).toBe(template);
});

test("the server may do what the stores do, on its tables alone", () => {
  const [policy = ""] =
    /\{\n {2}"Version": "2012-10-17".*?\n\}/s.exec(text("docs/how-to/production-on-aws.md")) ?? [];
  const { Statement } = JSON.parse(policy) as { Statement: [{ Action: string[] }] };
  expect(tableActions).toEqual(Statement[0].Action);
  const template = JSON.parse(text("deploy/aws/tablekeep.cloudformation.json")) as {
    Resources: Record<string, { Type: string; Properties: Record<string, unknown> }>;
  };
  const tables = Object.entries(template.Resources).filter(([, { Type }]) => Type === "AWS::DynamoDB::Table");
  expect(tables.length).toBeGreaterThan(2);
  const role = JSON.stringify(template.Resources["TaskRole"]);
  for (const [name] of tables) expect(role).toContain(`{"Fn::GetAtt":["${name}","Arn"]}`);
  expect(role).not.toMatch(/"Resource":"\*"|"\*"/);
});

/** The variables of the image, as its Dockerfile sets them. */
function imageVariables(): Record<string, string> {
  const [, line = ""] = /^ENV (.+)$/m.exec(text("deploy/docker/Dockerfile")) ?? [];
  return Object.fromEntries(line.split(" ").map((each) => each.split("=") as [string, string]));
}

/** The variables of the container in a template. The only references there are to the region. */
function templateVariables(kind: "CloudFormation" | "Terraform"): Record<string, string> {
  const given = (value: unknown) =>
    typeof value === "string" && !value.startsWith("${") ? value : "eu-west-1";
  if (kind === "CloudFormation") {
    const { Resources } = JSON.parse(text("deploy/aws/tablekeep.cloudformation.json")) as {
      Resources: { Task: { Properties: { ContainerDefinitions: [Container] } } };
    };
    const [{ Environment }] = Resources.Task.Properties.ContainerDefinitions;
    return Object.fromEntries(Environment.map(({ Name, Value }) => [Name, given(Value)]));
  }
  const { resource } = JSON.parse(text("deploy/aws/tablekeep.tf.json")) as {
    resource: { aws_ecs_task_definition: { tablekeep: { container_definitions: string } } };
  };
  const [{ environment }] = JSON.parse(resource.aws_ecs_task_definition.tablekeep.container_definitions) as [
    { environment: { name: string; value: string }[] },
  ];
  return Object.fromEntries(environment.map(({ name, value }) => [name, given(value)]));
}

interface Container {
  readonly Environment: readonly { readonly Name: string; readonly Value: unknown }[];
}

test.each(["CloudFormation", "Terraform"] as const)(
  "the variables of the image and of the template for %s agree",
  async (kind) => {
    const bin = join(rootFolder, "packages", "tablekeep", "bin", "tablekeep.js");
    const env = { ...imageVariables(), ...templateVariables(kind) };
    const child = spawn(process.execPath, [bin, "config", "--json"], {
      env,
      cwd: mkdtempSync(join(folder, "empty-")),
      stdio: ["ignore", "pipe", "inherit"],
    });
    const output: Buffer[] = [];
    child.stdout.on("data", (part: Buffer) => output.push(part));
    expect(await once(child, "close")).toEqual([0, null]);
    const { settings } = JSON.parse(Buffer.concat(output).toString()) as {
      settings: Record<string, { value: unknown }>;
    };
    expect(settings).toMatchObject({ region: { value: "eu-west-1" }, host: { value: "0.0.0.0" } });
  },
);

test("the program of the image is small, needs no other file, and lets only its users in", async () => {
  const app = join(folder, "app");
  const { bytes } = programTree(app);
  // Of 150 MB, Node 24 has 109 MB and the base 24 MB. On other versions of Node, LMDB has two builds.
  expect(bytes).toBeLessThan(process.versions.node.startsWith("24.") ? 17_000_000 : 21_500_000);
  const users = mkdtempSync(join(folder, "users-"));
  await using server = await startImage(app, { TMPDIR: users });
  const get = (headers: Record<string, string>) =>
    fetch(`http://127.0.0.1:${server.port}/docs/`, { headers }).then(({ status }) => status);
  expect(await get({})).toBe(401);
  expect(await get({ authorization: `Basic ${btoa("ann:test")}` })).toBe(200);
  expect(await exitCode(app, { TABLEKEEP_HTTP_PORT: server.port })).toBe(0);
  expect(await exitCode(app, { TABLEKEEP_HTTP_PORT: "1" })).toBe(1);
  const [own = ""] = readdirSync(users).filter((name) => name.startsWith("tablekeep-"));
  expect(statSync(join(users, own, "users")).mode & 0o777).toBe(0o600);
});

test("the program of the image decodes and checks mail", async () => {
  const app = join(folder, "app-mail");
  programTree(app);
  await using server = await startImage(app, { TMPDIR: mkdtempSync(join(folder, "users-")) });
  const call = (path: string, body?: string) =>
    fetch(`http://127.0.0.1:${server.port}/api/v3/mail/${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Basic ${btoa("ann:test")}`, "content-type": "application/json" },
      body,
    }).then((answer) => answer.json());
  const html = "<style>p { display: grid }</style><p>Hello</p>";
  await call("send", JSON.stringify({ from: "a@example.org", to: ["b@example.org"], subject: "Hi", html }));
  const { message } = (await call("wait?to=b@example.org")) as { message: { id: string } };
  expect(await call(`messages/${message.id}`)).toMatchObject({ html: expect.stringContaining("Hello") });
  expect(await call(`messages/${message.id}/lint`)).toMatchObject({
    findings: expect.arrayContaining([expect.objectContaining({ rule: "html-feature" })]),
  });
});

test("the health check uses HTTPS if the server has a certificate", async () => {
  const app = join(folder, "app-tls");
  programTree(app);
  const [cert = "", key = ""] = ["cert.pem", "key.pem"].map((name) =>
    join(rootFolder, "packages", "tablekeep", "test", "fixtures", "smtp", name),
  );
  const tls = { TABLEKEEP_TLS_CERT: cert, TABLEKEEP_TLS_KEY: key };
  await using server = await startImage(app, { TMPDIR: mkdtempSync(join(folder, "users-")), ...tls });
  expect(await exitCode(app, { TABLEKEEP_HTTP_PORT: server.port, ...tls })).toBe(0);
});

/** Starts the program of an image as its entry point does, with the user ann. */
async function startImage(
  app: string,
  more: Record<string, string>,
): Promise<AsyncDisposable & { readonly port: string }> {
  const env = {
    ...imageVariables(),
    TABLEKEEP_HTTP_PORT: "0",
    TABLEKEEP_SMTP_PORT: "0",
    TABLEKEEP_MQTT_PORT: "0",
    // The hash of "test".
    TABLEKEEP_USERS: "ann:$2a$04$qxRo.ftFoNep7ld/5jfKtuBTnGqff/fZVyj53mUC5sVf9dtDLAi/S\n",
    ...more,
  };
  const child = spawn(process.execPath, [join(app, "entry.mjs"), "serve", "--json", "--no-dynamodb"], {
    env,
    cwd: mkdtempSync(join(folder, "data-")),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const [line] = (await Promise.race([once(child.stdout, "data"), ended])) as [unknown];
  const { listeners } = JSON.parse(String(line)) as { listeners: { name: string; url: string }[] };
  return {
    port: new URL(listeners.find(({ name }) => name === "http")?.url ?? "").port,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      expect(await ended).toEqual([0, null]);
    },
  };
}

async function exitCode(app: string, env: Record<string, string>): Promise<unknown> {
  const [code] = await once(
    spawn(process.execPath, [join(app, "health.mjs")], { env, stdio: "inherit" }),
    "exit",
  );
  return code;
}

test("the action starts the server for the next steps, and fails if it does not start", async () => {
  const runner = join(folder, "runner");
  mkdirSync(runner);
  const bin = join(rootFolder, "packages", "tablekeep", "bin", "tablekeep.js");
  // What npx does with the package: it drops its own option and the name.
  const npx = `#!/bin/sh\necho $$ > "${runner}/pid"\nshift 2\nexec "${process.execPath}" "${bin}" "$@"\n`;
  writeFileSync(join(runner, "npx"), npx, { mode: 0o755 });
  const start = (options: string) => {
    const env = {
      PATH: `${runner}:${process.env["PATH"]}`,
      RUNNER_TEMP: runner,
      GITHUB_OUTPUT: join(runner, "output"),
      GITHUB_ENV: join(runner, "env"),
      INPUT_VERSION: "latest",
      INPUT_OPTIONS: options,
    };
    const script = join(rootFolder, "deploy", "github-action", "start.mjs");
    return once(spawn(process.execPath, [script], { env, stdio: "ignore" }), "exit");
  };
  const ports = "--memory --http-port 0 --smtp-port 0  --mqtt-port 0 --dynamodb-port 0";
  expect(await start(ports)).toEqual([0, null]);
  const pid = Number(readFileSync(join(runner, "pid"), "utf8"));
  try {
    const outputs = Object.fromEntries(
      readFileSync(join(runner, "output"), "utf8")
        .trim()
        .split("\n")
        .map((line) => line.split(/=(.*)/s)),
    ) as Record<string, string>;
    expect(Object.keys(outputs).toSorted()).toEqual(["dynamodb-url", "http-url", "mqtt-url", "smtp-url"]);
    const action = text("deploy/github-action/action.yml");
    for (const name of Object.keys(outputs)) expect(action).toContain(`steps.start.outputs.${name} }}`);
    expect((await fetch(new URL("readyz", outputs["http-url"]))).status).toBe(200);
    expect(readFileSync(join(runner, "env"), "utf8")).toBe(
      `AWS_ENDPOINT_URL_DYNAMODB=${outputs["dynamodb-url"]}\n`,
    );
  } finally {
    process.kill(pid, "SIGTERM");
  }
  expect(await start("--no-such-option")).toEqual([1, null]);
});
