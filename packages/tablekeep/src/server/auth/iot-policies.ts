import { readFileSync } from "node:fs";
import { readReason } from "../file-reason.ts";
import { pointerTo } from "../json-file.ts";
import { ServerError } from "../server-error.ts";

/** The user who makes a request, and for MQTT the client. */
export interface Principal {
  /** The authenticated user: by a password, a token, an access key or a certificate. */
  readonly user?: string;
  readonly clientId?: string;
}

/** Whether an action on a resource is allowed, such as `iot:Publish` on `topic/news`. */
export type IsAllowed = (action: string, resource: string) => boolean;

/** Policies in the language of AWS IoT, and the users that they are attached to. */
export interface IotPolicies {
  /** The rules for one principal. */
  rulesOf(principal: Principal): IsAllowed;
}

interface Statement {
  readonly effect: "Allow" | "Deny";
  readonly actions: readonly RegExp[];
  /** What follows the account in the ARN, with variables and wildcards. */
  readonly resources: readonly string[];
  /** Whether the principal must be a thing, or must not be one. @default either */
  readonly isThing?: boolean;
}

/** This name in `attachments` stands for all users. */
const everybody = "*";

/** Reads a file of policies. */
export function readPoliciesFile(path: string): IotPolicies {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    throw invalid(path, readReason(cause));
  }
  return parsePolicies(text, path);
}

/** Parses the content of a policies file. Everything that is not supported is an error, so that no rule is silently ignored. */
export function parsePolicies(text: string, path: string): IotPolicies {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    throw invalid(path, "must be JSON");
  }
  const reader = new PolicyReader(path);
  const { policies, attachments } = reader.fields(document, theFile, ["policies", "attachments"]);
  const byName = new Map(
    Object.entries(reader.object(policies, { name: "policies", pointer: "/policies" })).map(
      ([name, policy]) => [name, reader.policy(policy, name)],
    ),
  );
  const byUser = new Map(
    Object.entries(reader.object(attachments, { name: "attachments", pointer: "/attachments" })).map(
      ([user, names]) => {
        // A user without policies may be listed.
        const isEmpty = Array.isArray(names) && names.length === 0;
        const place = { name: `attachments.${user}`, pointer: pointerTo("attachments", user) };
        const listed = isEmpty ? [] : reader.strings(names, place);
        const attached = listed.map((name) => {
          const policy = byName.get(name);
          if (policy === undefined)
            throw invalid(path, `${place.name} names an unknown policy: ${name}`, place.pointer);
          return policy;
        });
        return [user, attached.flat()] as const;
      },
    ),
  );
  return {
    rulesOf(principal) {
      const own =
        principal.user === undefined || principal.user === everybody ? [] : byUser.get(principal.user);
      return rulesOf([...(own ?? []), ...(byUser.get(everybody) ?? [])], principal);
    },
  };
}

function rulesOf(statements: readonly Statement[], principal: Principal): IsAllowed {
  const isThing = principal.user !== undefined && thingName.test(principal.user);
  const compiled = statements
    .filter((statement) => statement.isThing === undefined || statement.isThing === isThing)
    .map(({ effect, actions, resources }) => ({
      effect,
      actions,
      resources: resources.map((resource) => patternOf(resource, principal, effect)),
    }));
  const applies = (effect: Statement["effect"], action: string, resource: string) =>
    compiled.some(
      (statement) =>
        statement.effect === effect &&
        statement.actions.some((pattern) => pattern.test(action)) &&
        statement.resources.some((pattern) => pattern.test(resource)),
    );
  return (action, resource) => applies("Allow", action, resource) && !applies("Deny", action, resource);
}

const thingName = /^[a-zA-Z0-9:_-]{1,128}$/;
const variable = /\$\{([^}]*)\}/;
const anything = /^/;
const nothing = /(?!)/;

/**
 * The pattern of a resource for a principal. A variable without a value, or with one that contains wildcards or slashes, makes an Allow match
 * nothing and a Deny everything.
 */
function patternOf(resource: string, { user, clientId }: Principal, effect: Statement["effect"]): RegExp {
  const thing = user !== undefined && thingName.test(user) ? user : undefined;
  const values: Readonly<Record<string, string | undefined>> = {
    "iot:ClientId": clientId,
    "iot:Connection.Thing.ThingName": thing,
    "iot:Certificate.Subject.CommonName": user,
    "aws:username": user,
  };
  let pattern = "";
  // Every second part is the name of a variable.
  for (const [at, part] of resource.split(variable).entries()) {
    const value = at % 2 === 0 ? part : values[part];
    const isUsable = value !== undefined && (at % 2 === 0 || /^[^*?+#/]+$/.test(value));
    if (!isUsable) return effect === "Allow" ? nothing : anything;
    pattern += at % 2 === 0 ? wildcards(value) : escaped(value);
  }
  return new RegExp(`^${pattern}$`, "s");
}

const knownVariables = [
  "iot:ClientId",
  "iot:Connection.Thing.ThingName",
  "iot:Certificate.Subject.CommonName",
  "aws:username",
];

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

function wildcards(text: string): string {
  return escaped(text).replaceAll("\\*", ".*").replaceAll("\\?", ".");
}

function invalid(path: string, reason: string, pointer?: string): ServerError {
  const details = { path, reason, pointer };
  return new ServerError("SERVER_POLICIES_FILE_INVALID", `policies in ${path}: ${reason}`, details);
}

/** A part of the file: its name in messages, and its JSON Pointer. */
interface Place {
  readonly name: string;
  readonly pointer: string;
}

const theFile: Place = { name: "the file", pointer: "" };

const memberOf = ({ name, pointer }: Place, member: string): Place => ({
  name: `${name}, ${member}`,
  pointer: pointer + pointerTo(member),
});

/** Reads the parts of a policy document. */
class PolicyReader {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  object(value: unknown, { name, pointer }: Place): Record<string, unknown> {
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
    throw invalid(this.#path, `${name} must be an object`, pointer);
  }

  /** An object with no members but these. */
  fields(value: unknown, place: Place, known: readonly string[]): Record<string, unknown> {
    const object = this.object(value, place);
    const unknown = Object.keys(object).find((key) => !known.includes(key));
    if (unknown !== undefined)
      throw invalid(
        this.#path,
        `${place.name} has an unsupported member: ${unknown}`,
        memberOf(place, unknown).pointer,
      );
    return object;
  }

  /** One string or several. */
  strings(value: unknown, { name, pointer }: Place): string[] {
    const all = Array.isArray(value) ? value : [value];
    if (all.length > 0 && all.every((each): each is string => typeof each === "string" && each !== ""))
      return all;
    throw invalid(this.#path, `${name} must be a non-empty string or an array of them`, pointer);
  }

  policy(value: unknown, name: string): Statement[] {
    const place = { name: `policy ${name}`, pointer: pointerTo("policies", name) };
    const { Version, Statement } = this.fields(value, place, ["Version", "Statement"]);
    if (Version !== "2012-10-17")
      throw invalid(
        this.#path,
        `${place.name} must have the Version 2012-10-17`,
        memberOf(place, "Version").pointer,
      );
    const all = Array.isArray(Statement) ? Statement : [Statement];
    const { pointer } = memberOf(place, "Statement");
    return all.map((statement, at) =>
      this.#statement(statement, {
        name: `${place.name}, statement ${at + 1}`,
        pointer: Array.isArray(Statement) ? pointer + pointerTo(at) : pointer,
      }),
    );
  }

  #statement(value: unknown, place: Place): Statement {
    const known = ["Sid", "Effect", "Action", "Resource", "Condition"];
    const { Effect, Action, Resource, Condition } = this.fields(value, place, known);
    const wrong = (member: string, reason: string) =>
      invalid(this.#path, `${place.name} ${reason}`, memberOf(place, member).pointer);
    if (Effect !== "Allow" && Effect !== "Deny") throw wrong("Effect", "must have the Effect Allow or Deny");
    const actions = this.strings(Action, memberOf(place, "Action")).map((action) => {
      if (!/^(?:\*|iot:[\w*?]+)$/.test(action)) throw wrong("Action", `has an unsupported Action: ${action}`);
      return new RegExp(`^${wildcards(action)}$`, "i");
    });
    const resources = this.strings(Resource, memberOf(place, "Resource")).map((resource) =>
      resourceOf(resource, (reason) => wrong("Resource", reason)),
    );
    const isThing = this.#condition(Condition, memberOf(place, "Condition"));
    return { effect: Effect, actions, resources, ...(isThing !== undefined && { isThing }) };
  }

  /** Whether a thing is required, or excluded. Undefined if both are accepted: one of several values has to match. */
  #condition(value: unknown, place: Place): boolean | undefined {
    if (value === undefined) return undefined;
    const { Bool } = this.fields(value, place, ["Bool"]);
    const key = "iot:Connection.Thing.IsAttached";
    const ofBool = memberOf(place, "Bool");
    const { [key]: expected } = this.fields(Bool, ofBool, [key]);
    const values = new Set((Array.isArray(expected) ? expected : [expected]).map(String));
    if (values.size === 0 || [...values].some((each) => each !== "true" && each !== "false"))
      throw invalid(this.#path, `${place.name}: ${key} must be true or false`, memberOf(ofBool, key).pointer);
    return values.size === 1 ? values.has("true") : undefined;
  }
}

/** Region and account have no meaning here. */
function resourceOf(resource: string, wrong: (reason: string) => ServerError): string {
  if (resource === "*") return resource;
  const [, rest] = /^arn:[^:]*:iot:[^:]*:[^:]*:(.+)$/s.exec(resource) ?? [];
  if (rest === undefined) throw wrong(`has a Resource that is not an ARN of iot: ${resource}`);
  for (const [, variableName = ""] of rest.matchAll(new RegExp(variable, "g")))
    if (!knownVariables.includes(variableName)) throw wrong(`has an unsupported variable: ${variableName}`);
  return rest;
}
