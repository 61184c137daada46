/** Reason codes of MQTT 5 that the broker sends. */
export const reason = {
  success: 0x00,
  noSubscriptionExisted: 0x11,
  unspecified: 0x80,
  malformedPacket: 0x81,
  protocolError: 0x82,
  unsupportedVersion: 0x84,
  clientIdInvalid: 0x85,
  badUserNameOrPassword: 0x86,
  notAuthorized: 0x87,
  serverShuttingDown: 0x8b,
  badAuthenticationMethod: 0x8c,
  keepAliveTimeout: 0x8d,
  sessionTakenOver: 0x8e,
  topicFilterInvalid: 0x8f,
  topicNameInvalid: 0x90,
  topicAliasInvalid: 0x94,
  packetTooLarge: 0x95,
  quotaExceeded: 0x97,
  administrativeAction: 0x98,
  qosNotSupported: 0x9b,
  subscriptionIdsNotSupported: 0xa1,
} as const;

/** A reason code of MQTT 5. */
export type Reason = (typeof reason)[keyof typeof reason];

/** Why a client is not accepted. */
export interface Rejection {
  readonly rejectedWith: Reason;
}

/** The codes of a CONNACK in MQTT 3.1.1. Reasons without one are reported as "not authorized". */
const returnCodes: ReadonlyMap<Reason, number> = new Map([
  [reason.success, 0],
  [reason.unsupportedVersion, 1],
  [reason.clientIdInvalid, 2],
  [reason.badUserNameOrPassword, 4],
]);
const notAuthorized = 5;

/** The code of a CONNACK in MQTT 3.1.1 for a reason. */
export function returnCodeOf(code: Reason): number {
  return returnCodes.get(code) ?? notAuthorized;
}

/** A reason in words, such as "not authorized". */
export function reasonText(code: Reason): string {
  const name = Object.entries(reason).find(([, each]) => each === code)?.[0] ?? "";
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** A client violates the protocol or its permissions: its connection ends, in MQTT 5 with this reason. */
export class Violation extends Error {
  readonly code: Reason;

  constructor(code: Reason, message: string) {
    super(message);
    this.code = code;
  }
}
