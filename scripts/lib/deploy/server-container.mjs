/** The listeners of the server in a container on AWS, where DynamoDB is Amazon's. */
export const containerPorts = [
  { port: 8025, purpose: "Console and HTTP APIs" },
  { port: 1025, purpose: "SMTP" },
  { port: 1883, purpose: "MQTT" },
];

/** Its variables, beside the region and the users. */
export const serverEnvironment = { TABLEKEEP_MQTT_NAME: "fargate" };
