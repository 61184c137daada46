import { containerPorts, serverEnvironment } from "./server-container.mjs";

const ref = (name) => ({ Ref: name });
const arnOf = (name) => ({ "Fn::GetAtt": [name, "Arn"] });

/**
 * Returns a CloudFormation template with the tables, the permissions and one server on Fargate.
 * @param {Record<string, object>} tables resources by name
 * @param {readonly string[]} actions that the server may use on them
 */
export function fargateCloudFormation(tables, actions) {
  return {
    AWSTemplateFormatVersion: "2010-09-09",
    Description: "Tablekeep: tables, permissions and one server on Fargate",
    Parameters: parameters,
    Resources: { ...tables, ...roles(Object.keys(tables), actions), ...service() },
    Outputs: {
      Cluster: { Value: ref("Cluster") },
      Service: { Value: { "Fn::GetAtt": ["Service", "Name"] } },
    },
  };
}

const parameters = {
  Image: { Type: "String", Description: "The image, built from deploy/docker/Dockerfile, in a registry." },
  UsersSecretArn: {
    Type: "String",
    Description: "ARN of a secret with the users: lines of name:hash, as tablekeep auth hash prints it.",
  },
  VpcId: { Type: "AWS::EC2::VPC::Id", Description: "Network of the server." },
  SubnetIds: {
    Type: "List<AWS::EC2::Subnet::Id>",
    Description: "Private subnets, with a route to DynamoDB, the registry and Secrets Manager.",
  },
  AllowedCidr: {
    Type: "String",
    Default: "10.0.0.0/8",
    Description: "Addresses that may connect. Put a load balancer with TLS in front of others.",
  },
};

function roles(tables, actions) {
  const assume = {
    Version: "2012-10-17",
    Statement: [
      { Effect: "Allow", Principal: { Service: "ecs-tasks.amazonaws.com" }, Action: "sts:AssumeRole" },
    ],
  };
  const role = (name, statement, more = {}) => ({
    Type: "AWS::IAM::Role",
    Properties: {
      AssumeRolePolicyDocument: assume,
      ...more,
      Policies: [
        {
          PolicyName: name,
          PolicyDocument: { Version: "2012-10-17", Statement: [{ Effect: "Allow", ...statement }] },
        },
      ],
    },
  });
  const resources = tables.flatMap((table) => [
    arnOf(table),
    { "Fn::Sub": [`\${Table}/index/*`, { Table: arnOf(table) }] },
  ]);
  return {
    TaskRole: role("tables", { Action: actions, Resource: resources }),
    ExecutionRole: role(
      "users",
      { Action: "secretsmanager:GetSecretValue", Resource: ref("UsersSecretArn") },
      {
        ManagedPolicyArns: [
          {
            "Fn::Sub": `arn:\${AWS::Partition}:iam::aws:policy/service-role/AmazonECSTaskExecutionRolePolicy`,
          },
        ],
      },
    ),
  };
}

function service() {
  return {
    Logs: {
      Type: "AWS::Logs::LogGroup",
      DeletionPolicy: "Delete",
      UpdateReplacePolicy: "Delete",
      Properties: { RetentionInDays: 30 },
    },
    Cluster: { Type: "AWS::ECS::Cluster" },
    Task: { Type: "AWS::ECS::TaskDefinition", Properties: taskProperties() },
    Access: {
      Type: "AWS::EC2::SecurityGroup",
      Properties: {
        GroupDescription: "Listeners of Tablekeep",
        VpcId: ref("VpcId"),
        SecurityGroupIngress: containerPorts.map(({ port, purpose }) => ({
          IpProtocol: "tcp",
          FromPort: port,
          ToPort: port,
          CidrIp: ref("AllowedCidr"),
          Description: purpose,
        })),
      },
    },
    Service: {
      Type: "AWS::ECS::Service",
      Properties: {
        Cluster: ref("Cluster"),
        TaskDefinition: ref("Task"),
        DesiredCount: 1,
        LaunchType: "FARGATE",
        NetworkConfiguration: {
          AwsvpcConfiguration: {
            Subnets: ref("SubnetIds"),
            SecurityGroups: [{ "Fn::GetAtt": ["Access", "GroupId"] }],
          },
        },
      },
    },
  };
}

function taskProperties() {
  return {
    RequiresCompatibilities: ["FARGATE"],
    NetworkMode: "awsvpc",
    Cpu: "512",
    Memory: "1024",
    TaskRoleArn: arnOf("TaskRole"),
    ExecutionRoleArn: arnOf("ExecutionRole"),
    ContainerDefinitions: [
      {
        Name: "tablekeep",
        Image: ref("Image"),
        Essential: true,
        PortMappings: containerPorts.map(({ port }) => ({ ContainerPort: port })),
        Environment: [
          { Name: "TABLEKEEP_REGION", Value: ref("AWS::Region") },
          ...Object.entries(serverEnvironment).map(([Name, Value]) => ({ Name, Value })),
        ],
        Secrets: [{ Name: "TABLEKEEP_USERS", ValueFrom: ref("UsersSecretArn") }],
        HealthCheck: {
          Command: ["CMD", "/usr/bin/node", "/app/health.mjs"],
          Interval: 10,
          Timeout: 5,
          StartPeriod: 20,
        },
        LogConfiguration: {
          LogDriver: "awslogs",
          Options: {
            "awslogs-group": ref("Logs"),
            "awslogs-region": ref("AWS::Region"),
            "awslogs-stream-prefix": "tablekeep",
          },
        },
      },
    ],
  };
}
