/** The settings of MQTT, by their keys in the configuration file. */
export const mqttSettings = {
  mqttHost: {
    flag: "--mqtt-host <address>",
    text: "address for MQTT, if it differs from --host",
    group: "MQTT",
    type: "text",
    serverOption: true,
  },
  mqttPort: {
    flag: "--mqtt-port <number>",
    text: "port for MQTT (device shadows)",
    group: "MQTT",
    type: "port",
    default: 1883,
    serverOption: true,
  },
  mqtt: { flag: "--no-mqtt", text: "disable MQTT", group: "MQTT", type: "switch", serverOption: true },
  mqttUsers: {
    flag: "--mqtt-users <file>",
    text: "users who may connect by MQTT: a file with one name:hash per line",
    group: "MQTT",
    type: "path",
  },
  mqttOwnThing: {
    flag: "--mqtt-own-thing",
    text: "limit each MQTT client to the thing named after its user",
    group: "MQTT",
    type: "flag",
  },
  mqttCert: {
    flag: "--mqtt-cert <file>",
    text: "certificate in PEM; starts MQTT connections with TLS",
    group: "MQTT",
    type: "path",
  },
  mqttKey: {
    flag: "--mqtt-key <file>",
    text: "private key of --mqtt-cert in PEM",
    group: "MQTT",
    type: "path",
  },
  mqttCa: {
    flag: "--mqtt-ca <file>",
    text: "CA certificates in PEM; clients may authenticate with a certificate whose common name is the user",
    group: "MQTT",
    type: "path",
  },
  mqttTokens: {
    flag: "--mqtt-tokens <file>",
    text: "tokens that MQTT accepts as passwords: a file with one name:hash per line",
    group: "MQTT",
    type: "path",
  },
  iotPolicies: {
    flag: "--iot-policies <file>",
    text: "AWS IoT policies by user, for MQTT and for shadows over HTTP: a JSON file",
    group: "MQTT",
    type: "path",
  },
  mqttName: {
    flag: "--mqtt-name <name>",
    text: "name under which MQTT sessions are stored; servers that share a table need different names",
    group: "MQTT",
    type: "text",
  },
  shadowStream: {
    flag: "--shadow-stream",
    text: "announce shadow changes of all writers, from the stream of the table (--endpoint, --region)",
    group: "MQTT",
    type: "flag",
  },
} as const;
