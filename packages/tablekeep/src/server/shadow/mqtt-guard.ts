import type { IotPolicies } from "../auth/iot-policies.ts";
import type { PasswordCheck } from "../auth/password-check.ts";
import { type Tokens, tokenHash, type Users } from "../auth/secret-files.ts";
import { reason } from "../mqtt/protocol/reason-codes.ts";
import type { MqttCredentials, MqttGuard, MqttUser } from "../mqtt/sessions/guard.ts";
import type { TopicAccess } from "../mqtt/sessions/mqtt-session.ts";
import { fullAccess, thingAccess } from "./topic-rules.ts";

/** The authentication and the permissions of MQTT clients. */
export interface MqttGuardOptions {
  /** The users with passwords, and the check of their passwords; if set, every client must authenticate. @default no authentication */
  readonly passwords?: { readonly users: Pick<Users, "has">; readonly check: PasswordCheck };
  /** Tokens, which are accepted as passwords. @default none */
  readonly tokens?: Tokens;
  /** Whether clients without a password must have a certificate. @default false */
  readonly needsCertificate?: boolean;
  /** Whether a client reaches only the thing that is named after its user. @default false */
  readonly ownThingOnly?: boolean;
  /** What each user may do. @default everything */
  readonly policies?: IotPolicies;
}

/** Authenticates MQTT clients by certificate, password or token, and decides about topics. */
export function mqttGuard(options: MqttGuardOptions): MqttGuard {
  const { passwords, tokens, needsCertificate = false, ownThingOnly = false, policies } = options;
  const isOpen = passwords === undefined && tokens === undefined;
  // The names in certificates, and those of users of the HTTP port, are unknown here.
  const maySignIn = (name: string | undefined) =>
    name === undefined
      ? isOpen && !needsCertificate
      : isOpen || needsCertificate || passwords?.users.has(name) === true || tokens?.has(name) === true;
  return {
    // A certificate takes precedence over a password: SDKs that connect with one send a user name that identifies the SDK.
    async signIn(credentials) {
      const { certificateName, httpUser, userName, password, address } = credentials;
      if (certificateName !== undefined) return { userName: certificateName };
      if (isOpen) return needsCertificate ? { rejectedWith: reason.notAuthorized } : { userName: httpUser };
      const tokenName = tokens && nameOfToken(tokens, credentials);
      if (tokenName !== undefined) return { userName: tokenName };
      const isRight = await passwords?.check(userName, password, address);
      return isRight === true ? { userName } : { rejectedWith: reason.badUserNameOrPassword };
    },
    accessOf(user) {
      if (!maySignIn(user.userName)) return undefined;
      const own = ownThingOnly ? thingAccess(user.userName ?? "") : fullAccess;
      return policies === undefined ? own : accessBy(policies, user, own);
    },
  };
}

/** The name of a token that is passed as the password, with its name or without a user name. */
function nameOfToken(tokens: Tokens, { userName, password }: MqttCredentials): string | undefined {
  const hash = tokenHash(password);
  if (userName !== "") return tokens.get(userName) === hash ? userName : undefined;
  return [...tokens].find(([, each]) => each === hash)?.[0];
}

/** The access that the policies allow, within `bounds`. */
function accessBy(policies: IotPolicies, user: MqttUser, bounds: TopicAccess): TopicAccess | undefined {
  const { userName, clientId } = user;
  const may = policies.rulesOf({ user: userName, clientId });
  if (!may("iot:Connect", `client/${clientId}`)) return undefined;
  return {
    mayPublish: (topic) => bounds.mayPublish(topic) && may("iot:Publish", `topic/${topic}`),
    mayRetain: (topic) => may("iot:RetainPublish", `topic/${topic}`),
    maySubscribe: (filter) => bounds.maySubscribe(filter) && may("iot:Subscribe", `topicfilter/${filter}`),
    mayReceive: (topic) => bounds.mayReceive(topic) && may("iot:Receive", `topic/${topic}`),
  };
}
